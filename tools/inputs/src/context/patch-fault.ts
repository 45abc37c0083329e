import { readDiff, type Position } from '#core';
import type { ImageDefinition } from '#definitions';
import type { ContextEntry } from '../types.ts';

/** What the builder's script says of a patch, then patch(1) of its trial; the words of a step are indented. */
const REFUSED = /the patch (\S+) does not apply to (\S+):\n([^]*)/;
const SHOWN_LINES = 20;

/**
 * The patch that the last words of a failed step say does not apply: where it is asked for, and its first hunk, as the context has it,
 * that does not fit.
 * Undefined where they are about something else.
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
    hint: `make it anew against the source as it is locked, with the patches before it; it must fit without fuzz`,
    at: patch.at,
  };
}

/** The patch `NNN-NAME` of a folder. */
function textOf(context: readonly ContextEntry[], folder: string, name: string | undefined): string {
  const entry = context.find(({ path }) => path.startsWith(folder) && path.slice(folder.length).replace(/^\d+-/, '') === name);
  return entry?.type === 'file' && entry.origin.from === 'bytes' ? Buffer.from(entry.origin.bytes).toString() : '';
}

function rejectedHunk(said: string, diff: string): string {
  const failed = /checking file (\S+)\n(?:(?!checking file ).*\n)*?Hunk #(\d+) FAILED at (\d+)/.exec(said);
  if (failed === null) return `:\n${said.trimEnd()}`;
  const [, file = '', number, line] = failed;
  const hunk = readDiff(diff).hunks.find((each) => each.file === file && each.number === Number(number));
  if (hunk === undefined) return `:\n${said.trimEnd()}`;
  const more = hunk.lines.length > SHOWN_LINES ? ['…'] : [];
  return `: its hunk at line ${hunk.line} does not fit ${file} at line ${line}:\n${[...hunk.lines.slice(0, SHOWN_LINES), ...more].map((text) => `  ${text}`).join('\n')}`;
}
