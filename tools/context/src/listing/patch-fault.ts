import type { Position } from '#core';
import type { ImageDefinition } from '#definitions';
import { readDiff } from '#formats';
import type { ContextEntry } from '../types.ts';

/**
 * The message of the builder's script, followed by the dry-run output of patch(1); the output of a
 * step is indented.
 */
const REFUSED = /the patch (\S+) does not apply to (\S+):\n([^]*)/;
const SHOWN_LINES = 20;

/**
 * The patch that does not apply according to the last output of a failed step, with its position in
 * the definition and its first rejected hunk. Undefined for other failures.
 */
export function patchFault(
  { sources }: ImageDefinition,
  context: readonly ContextEntry[],
  words: string,
): { readonly message: string; readonly hint: string; readonly at: Position } | undefined {
  const [, value, key = '', said = ''] = REFUSED.exec(words.replaceAll(/^ {2}/gm, '')) ?? [];
  const patch = sources[key]?.patches?.find((each) => each.value === value);
  if (patch === undefined) return undefined;
  return {
    message: `the patch ${patch.value} does not apply to ${key}${rejectedHunk(said, textOf(context, `.inputs/sources/${key}.patches/`, value))}`,
    hint: `create it again for the locked source with the earlier patches applied; fuzz is not allowed`,
    at: patch.at,
  };
}

/** The patch `NNN-NAME` of a folder. */
function textOf(
  context: readonly ContextEntry[],
  folder: string,
  name: string | undefined,
): string {
  const entry = context.find(
    ({ path }) =>
      path.startsWith(folder) && path.slice(folder.length).replace(/^\d+-/, '') === name,
  );
  return entry?.type === 'file' && entry.origin.from === 'bytes'
    ? Buffer.from(entry.origin.bytes).toString()
    : '';
}

function rejectedHunk(said: string, diff: string): string {
  const failed =
    /checking file (\S+)\n(?:(?!checking file ).*\n)*?Hunk #(\d+) FAILED at (\d+)/.exec(said);
  if (failed === null) return `:\n${said.trimEnd()}`;
  const [, file = '', number, line] = failed;
  const hunk = readDiff(diff).hunks.find(
    (each) => each.file === file && each.number === Number(number),
  );
  if (hunk === undefined) return `:\n${said.trimEnd()}`;
  const more = hunk.lines.length > SHOWN_LINES ? ['…'] : [];
  return `: the hunk at line ${hunk.line} does not match ${file} at line ${line}:\n${[...hunk.lines.slice(0, SHOWN_LINES), ...more].map((text) => `  ${text}`).join('\n')}`;
}
