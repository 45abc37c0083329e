import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { CcpError, codeOf } from '#core';
import type { ImageDefinition } from '#definitions';

/** The template of every image. */
export const TEMPLATE = 'Dockerfile.njk';
const NAME = /^(?:_shared\/)?[a-z0-9][a-z0-9_-]*\.njk$/;

/** A template as it was read. */
export interface TemplateFile {
  /** Absolute path. */
  readonly path: string;
  /** Path relative to the repository, for messages. */
  readonly file: string;
  readonly text: string;
}

/** The folder that holds every image's folder and `_shared`. */
export function imagesFolder(definition: ImageDefinition): string {
  return dirname(definition.folder);
}

/** Absolute paths of the shared templates, in code-unit order; none where there is no `_shared`. */
export function sharedTemplates(images: string): string[] {
  return templatesIn(join(images, '_shared'));
}

/** Absolute paths of the image's own template and those beside it, in code-unit order. */
export function ownTemplates(definition: ImageDefinition): string[] {
  return templatesIn(definition.folder);
}

function templatesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.njk')).sort().map((name) => join(folder, name));
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [];
    throw cause;
  }
}

/**
 * Reads a template by the name a template uses: one beside the image's own, or `_shared/NAME.njk`. Any other place is out of
 * reach. Raises `template-missing`, also for a symbolic link.
 */
export function readTemplate(definition: ImageDefinition, name: string): TemplateFile {
  const images = imagesFolder(definition);
  const path = name === TEMPLATE || !name.startsWith('_shared/') ? join(definition.folder, name) : join(images, name);
  const file = relative(dirname(images), path);
  if (name !== TEMPLATE && !NAME.test(name)) {
    throw new CcpError({
      code: 'template-missing',
      message: `${JSON.stringify(name)} is not a template's name`,
      hint: 'import "_shared/NAME.njk", or "NAME.njk" beside the image\'s own template',
    });
  }
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) {
    const nearby = sharedTemplates(images).map((shared) => relative(images, shared));
    throw new CcpError({
      code: 'template-missing',
      message: `there is no template ${file}`,
      ...(name === TEMPLATE ? { hint: 'write one: images/README.md shows the smallest' } : nearby.length > 0 ? { hint: `shared templates are ${nearby.join(', ')}` } : {}),
      at: { file },
    });
  }
  return { path, file, text: readFileSync(path, 'utf8') };
}
