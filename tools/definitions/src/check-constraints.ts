import { join } from 'node:path';
import { CcpError, decodeText, reading } from '#core';
import { readUnchanged } from '#host';
import type { Memo } from '#ports';
import { windowsLines } from './windows-lines.ts';
import type { WorkspaceLayer } from './workspace-layers.ts';

/** An empty line, a comment, an option, or a requirement in the syntax that uv accepts. */
const LINE =
  /^\s*(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\s*(?:\[[^\]]*\]\s*)?(?:(?:[=<>!~]|@\s|;|#).*)?|[#-].*)?$/;

/**
 * `definition-invalid` for each line that is not an upper constraint, or `definition-line-endings`
 * for the file; `memo` stores the result per file hash.
 */
export function checkConstraints(
  path: string,
  layers: readonly WorkspaceLayer[],
  memo: Memo,
): CcpError[] {
  const layer = layers.find(({ root }) => path.startsWith(`${root}/`)) ?? layers[0]!;
  const file = layer.name(path.slice(join(layer.root, '/').length));
  const hash = reading(file, () => memo.fileSha256(path));
  const wrong = memo.recall<'CRLF' | readonly (readonly [number, string])[]>(
    `constraints lines:3:${hash}`,
    () => {
      const text = decodeText(readUnchanged(path, hash, file), file);
      if (text.includes('\r\n')) return 'CRLF';
      return text
        .split('\n')
        .flatMap((line, index) =>
          LINE.test(line) ? [] : [[index + 1, line.trim().slice(0, 60)] as const],
        );
    },
  );
  if (wrong === 'CRLF') return [windowsLines(file)];
  return wrong.map(
    ([line, text]) =>
      new CcpError({
        code: 'definition-invalid',
        message: `${JSON.stringify(text)} is not a constraint`,
        hint: 'write PROJECT===VERSION, one per line',
        at: { file, line },
      }),
  );
}
