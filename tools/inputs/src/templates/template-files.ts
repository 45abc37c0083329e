import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { CcpError, codeOf, decodeText, fileChanged, fileFault, insteadOfFile, reading, sha256 } from '#core';
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

/** The workspace that messages name files relative to. */
export function workspaceOf({ folder, layers }: ImageDefinition): string {
  return layers?.root ?? dirname(dirname(folder));
}

/** Folders of shared templates; of two templates with one name the first is meant. */
export function sharedFolders({ folder, layers }: ImageDefinition): readonly string[] {
  return layers?.shared ?? [join(dirname(folder), '_shared')];
}

/** Absolute paths of a folder's templates, in code-unit order; none where there is no such folder. `definition` is an image that may use them. */
export function templatesIn(folder: string, definition: ImageDefinition): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.njk'))
      .sort()
      .map((name) => `${folder}/${name}`);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw fileFault(thrown, 'read', relative(workspaceOf(definition), folder));
  }
}

/** Hashes of the templates that something is remembered by; by path, empty for what is no regular file. */
export type TemplateHashes = ReadonlyMap<string, string>;

/**
 * Reads a template by the name a template uses: one beside the image's own, or `_shared/NAME.njk`. Any other place is out of
 * reach. Raises `template-missing`, also for what is no regular file, what `reading` and `decodeText` raise, and, where `hashes` are
 * given, `file-changed` for bytes of which none of them is.
 */
export function readTemplate(definition: ImageDefinition, name: string, hashes?: TemplateHashes): TemplateFile {
  const path = name === TEMPLATE || !name.startsWith('_shared/') ? join(definition.folder, name) : sharedPath(definition, name);
  const file = relative(workspaceOf(definition), path);
  if (name !== TEMPLATE && !NAME.test(name)) {
    throw new CcpError({
      code: 'template-missing',
      message: `${JSON.stringify(name)} is not a template's name`,
      hint: 'import "_shared/NAME.njk", or "NAME.njk" beside the image\'s own template',
    });
  }
  const stat = reading(file, () => lstatSync(path, { throwIfNoEntry: false }));
  const instead = stat === undefined ? undefined : insteadOfFile(stat);
  if (instead !== undefined)
    throw new CcpError({ code: 'template-missing', message: `the template ${file} ${instead}`, hint: 'put the file itself there', at: { file } });
  if (stat === undefined && hashes?.has(path) === true) throw fileChanged(file, 'vanished');
  if (stat === undefined) {
    const hint = name === TEMPLATE ? 'write one: images/README.md shows the smallest' : sharedHint(definition);
    throw new CcpError({ code: 'template-missing', message: `there is no template ${file}`, ...(hint === undefined ? {} : { hint }), at: { file } });
  }
  const bytes = reading(file, () => readFileSync(path));
  if (hashes !== undefined && hashes.get(path) !== sha256(bytes)) throw fileChanged(file);
  return { path, file, text: decodeText(bytes, file) };
}

function sharedHint(definition: ImageDefinition): string | undefined {
  const shared = sharedFolders(definition).flatMap((folder) => templatesIn(folder, definition).map((path) => `_shared/${basename(path)}`));
  return shared.length === 0 ? undefined : `shared templates are ${shared.join(', ')}`;
}

/** The first shared folder's that has the template; where none does, the first. */
function sharedPath(definition: ImageDefinition, name: string): string {
  const paths = sharedFolders(definition).map((folder) => join(dirname(folder), name));
  return (paths.length === 1 ? undefined : paths.find((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)) ?? paths[0]!;
}
