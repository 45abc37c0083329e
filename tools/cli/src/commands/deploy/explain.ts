import { formatPosition } from '#core';
import { readAppSpecs, readSite } from '#definitions';
import { explainKey, explanationLines } from '#deploy';
import type { CommandContext } from '../../program.ts';

/** `ccp deploy explain SITE KEY`: every layer that sets a value, by file and line; needs no cluster. */
export async function explain({ root, output }: CommandContext, [name = '', key = '']: readonly string[]): Promise<number> {
  const explanation = explainKey({ site: readSite(root, name), appSpecs: readAppSpecs(root) }, key);
  output.result(explanationLines(explanation, formatPosition).join('\n'), explanation);
  return 0;
}
