import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { CcpError, messageOf, formatPosition } from '#core';
import { readAppSpecs, readSite } from '#definitions';
import { findPlainSecrets, renderSite } from '#deploy';
import type { KubernetesObject } from '#ports';
import { parseImageSet } from '#release';
import { openProject } from '../compose.ts';
import { lastImageSet } from '../image-set.ts';
import type { CommandContext } from '../program.ts';
import { writeAtomically } from '../state/files.ts';

export interface RenderFlags {
  readonly output?: string;
  readonly set?: string;
}

/** `ccp render SITE`: the site's Kubernetes objects by digest, in the order they are applied. Pure but for reading the files. */
export async function render({ root, output, flags }: CommandContext, [name = '']: readonly string[], { output: file, set }: RenderFlags): Promise<number> {
  const site = readSite(root, name);
  if (flags.series !== undefined && flags.series !== site.series) throw new CcpError({ code: 'usage', message: `the site ${name} is of series ${site.series}, not ${flags.series}` });
  for (const { at, message, hint } of findPlainSecrets(site)) output.warn(`${formatPosition(at ?? { file: name })}: ${message}; ${hint}`);
  const imageSet = set === undefined ? lastImageSet(openProject(root, site.series)) : readImageSet(set);
  const objects = renderSite({ site, appSpecs: readAppSpecs(root), imageSet });
  if (file === undefined) output.result(objectsText(objects).trimEnd(), objects);
  else {
    writeAtomically(file, objectsText(objects));
    output.result(`${objects.length} objects of ${name} written to ${file}`, { file, objects: objects.length });
  }
  return 0;
}

/** Objects as a stream of YAML documents. */
function objectsText(objects: readonly KubernetesObject[]): string {
  return objects.map((object) => `---\n${stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 })}`).join('');
}

/** The image set of a manifest file. Raises `usage` where there is none, and what `parseImageSet` raises. */
export function readImageSet(file: string) {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CcpError({ code: 'usage', message: `cannot read the image set ${file}: ${messageOf(cause)}`, hint: 'name the manifest that `ccp build` wrote', cause });
  }
  return parseImageSet(text, file);
}
