import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError } from '#core';
import type { Memo } from '#ports';
import type { WorkspaceLayer } from './workspace-layers.ts';

/** A requirement, as far as it matters that uv can read it; a comment or an option, which are left out; or nothing. */
const LINE = /^\s*(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\s*(?:\[[^\]]*\]\s*)?(?:(?:[=<>!~]|@\s|;|#).*)?|[#-].*)?$/;

/** `definition-invalid` for each line of upper constraints that is none; `memo` knows what a file's bytes are worth. */
export function checkConstraints(path: string, layers: readonly WorkspaceLayer[], memo: Memo): CcpError[] {
  const wrong = memo.recall<readonly (readonly [number, string])[]>(`constraints lines:1:${memo.fileSha256(path)}`, () =>
    readFileSync(path, 'utf8').split('\n').flatMap((text, index) => (LINE.test(text) ? [] : [[index + 1, text.trim().slice(0, 60)] as const])),
  );
  const layer = layers.find(({ root }) => path.startsWith(`${root}/`)) ?? layers[0]!;
  const file = layer.name(path.slice(join(layer.root, '/').length));
  return wrong.map(([line, text]) => new CcpError({ code: 'definition-invalid', message: `${JSON.stringify(text)} is no constraint`, hint: 'write PROJECT===VERSION, one on a line', at: { file, line } }));
}
