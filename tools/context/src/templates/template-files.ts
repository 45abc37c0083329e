import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import {
  CcpError,
  codeOf,
  decodeText,
  fileChanged,
  fileFault,
  describeNonFile,
  omitUndefined,
  reading,
  sha256,
} from '#core';
import type { ImageDefinition } from '#definitions';
import { readBounded } from '#host';

/** The template of every image. */
export const TEMPLATE_FILE = 'Dockerfile.njk';
/** Bytes of the longest template. */
export const MAX_TEMPLATE = 256 * 1024;
const NAME = /^(?:_shared\/)?[a-z0-9][a-z0-9_-]*\.njk$/;

/** A template file with its text. */
export interface TemplateFile {
  /** Absolute path. */
  readonly path: string;
  /** Path relative to the repository, for messages. */
  readonly file: string;
  readonly text: string;
}

/** The workspace; messages name files relative to it. */
export function workspaceFolderOf({ folder, layers }: ImageDefinition): string {
  return layers?.root ?? dirname(dirname(folder));
}

/** Folders of shared templates, highest precedence first. */
export function sharedFolders({ folder, layers }: ImageDefinition): readonly string[] {
  return layers?.shared ?? [join(dirname(folder), '_shared')];
}

/**
 * Absolute paths of a folder's templates in code-unit order; empty if the folder does not exist.
 * `definition` is an image that uses the folder.
 */
export function templatesIn(folder: string, definition: ImageDefinition): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.njk'))
      .sort()
      .map((name) => `${folder}/${name}`);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw fileFault(thrown, 'read', relative(workspaceFolderOf(definition), folder));
  }
}

/** Path -> hash of a template; the hash is empty if the path is not a regular file. */
export type TemplateHashes = ReadonlyMap<string, string>;

/**
 * Reads a template by its name in an import: in the image's folder, or `_shared/NAME.njk`; other
 * paths are refused. Raises `template-missing` if it is not a regular file, the errors of `reading`
 * and `decodeText`, and `file-changed` if the bytes do not match `hashes`.
 */
export function readTemplate(
  definition: ImageDefinition,
  name: string,
  hashes?: TemplateHashes,
): TemplateFile {
  if (name !== TEMPLATE_FILE && !NAME.test(name)) {
    throw new CcpError({
      code: 'template-missing',
      message: `${JSON.stringify(name)} is not a template's name`,
      hint: 'import "_shared/NAME.njk", or "NAME.njk" in the folder of the image\'s own template',
    });
  }
  const path =
    name === TEMPLATE_FILE || !name.startsWith('_shared/')
      ? join(definition.folder, name)
      : sharedPath(definition, name);
  const file = relative(workspaceFolderOf(definition), path);
  const stat = reading(file, () => lstatSync(path, { throwIfNoEntry: false }));
  const instead = stat === undefined ? undefined : describeNonFile(stat);
  if (instead !== undefined)
    throw new CcpError({
      code: 'template-missing',
      message: `the template ${file} ${instead}`,
      hint: 'replace it with a regular file',
      at: { file },
    });
  if (stat !== undefined && stat.size > MAX_TEMPLATE)
    throw new CcpError({
      code: 'template-syntax',
      message: `${file} has ${stat.size} bytes; a template can have at most ${MAX_TEMPLATE}`,
      hint: 'put long texts into files/',
      at: { file },
    });
  if (stat === undefined && hashes?.has(path) === true) throw fileChanged(file, 'vanished');
  if (stat === undefined) {
    const hint =
      name === TEMPLATE_FILE
        ? 'create it: docs/guides/image-author.md shows a minimal template'
        : sharedHint(definition);
    throw new CcpError({
      code: 'template-missing',
      message: `template ${file} not found`,
      ...omitUndefined({ hint }),
      at: { file },
    });
  }
  const bytes = reading(file, () => readBounded(path, MAX_TEMPLATE, file));
  if (hashes !== undefined && hashes.get(path) !== sha256(bytes)) throw fileChanged(file);
  return { path, file, text: decodeText(bytes, file) };
}

function sharedHint(definition: ImageDefinition): string | undefined {
  const shared = sharedFolders(definition).flatMap((folder) =>
    templatesIn(folder, definition).map((path) => `_shared/${basename(path)}`),
  );
  return shared.length === 0 ? undefined : `known shared templates: ${shared.join(', ')}`;
}

/**
 * The path in the first shared folder that has the template, or else in the first shared folder.
 */
function sharedPath(definition: ImageDefinition, name: string): string {
  const paths = sharedFolders(definition).map((folder) => join(dirname(folder), name));
  return (
    (paths.length === 1
      ? undefined
      : paths.find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)) ?? paths[0]!
  );
}
