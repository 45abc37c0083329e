import { join, posix, relative } from 'node:path';
import { CcpError, reading, sha256 } from '#core';
import type { ImageDefinition, SeriesDefinition } from '#definitions';
import { goModuleFiles, goProxyPath } from '#formats';
import { readBounded } from '#host';
import type { Lock, LockedGo, NpmPackage, PythonFile } from '#locks';
import { sourcePath } from '../templates/template-context.ts';
import { workspaceFolderOf } from '../templates/template-files.ts';
import type { ContextEntry, FileRecord, ImageInputs, SourceOrigin } from '../types.ts';
import { listFiles } from './list-files.ts';
import { listPatches } from './list-patches.ts';
import { listTree, gitRepositoryOf } from './list-tree.ts';
import { BOOTSTRAP_STAGE, gitSourceOf, takesArchive } from './sources.ts';

export interface ContextRequest {
  readonly definition: ImageDefinition;
  readonly series: SeriesDefinition;
  readonly lock: Lock;
  readonly origin: SourceOrigin;
  /** The rendered Dockerfile. */
  readonly dockerfile: string;
  /**
   * The planned inputs. If given, the context contains exactly these files, and `file-changed` is
   * raised if the Dockerfile or a patch differs.
   */
  readonly inputs?: ImageInputs;
}

/**
 * The complete build context: the Dockerfile, the image's files, and locked inputs in `.inputs`,
 * including folders of empty lists. Paths are in code-unit order; a folder precedes its content.
 * Raises what `listFiles` raises.
 */
export function listContext(request: ContextRequest): ContextEntry[] {
  const { definition, lock, dockerfile, inputs } = request;
  if (inputs !== undefined && inputs.dockerfile !== sha256(dockerfile)) {
    throw changed(
      `a template of ${definition.name}`,
      nameOf(definition, join(definition.folder, 'Dockerfile.njk')),
    );
  }
  const entries = new Map<string, ContextEntry>();
  const add = (entry: ContextEntry): void => {
    addFolders(entries, posix.dirname(entry.path));
    const known = entries.get(entry.path);
    if (known !== undefined && entry.type !== 'directory') {
      throw new CcpError({
        code: 'context-invalid',
        message: `${entry.path} occurs twice in the build context of ${definition.name}`,
        hint: 'run "ccp lock" again: the lock contains two files with the same name',
      });
    }
    entries.set(entry.path, entry);
  };
  add(bytesEntry('Dockerfile', dockerfile));
  add({ type: 'directory', path: 'files' });
  const disk = {
    fileSha256: (path: string) =>
      reading(nameOf(definition, path), () => sha256(readBounded(path))),
  };
  for (const record of inputs?.files ?? listFiles(definition, disk))
    add(diskEntry(definition, 'files', join(definition.folder, 'files'), record));
  if (definition.tree !== undefined) {
    for (const record of inputs?.tree ?? listTree(definition, disk))
      add(diskEntry(definition, 'tree', gitRepositoryOf(definition), record));
  }
  for (const [stage, packages] of Object.entries(lock.debian)) {
    add({ type: 'directory', path: `.inputs/debian/${stage}` });
    for (const { pool, sha256 } of packages)
      add(cacheEntry(`.inputs/debian/${stage}/${posix.basename(pool)}`, sha256));
    if (stage === BOOTSTRAP_STAGE) {
      add({
        type: 'file',
        path: '.inputs/seed.tar',
        executable: false,
        origin: { from: 'debs', debs: packages.map(({ sha256 }) => sha256) },
      });
    }
  }
  addPython(add, lock);
  if (lock.go !== undefined) addGo(add, lock.go);
  if (lock.npm !== undefined) addNpm(add, lock.npm);
  add({ type: 'directory', path: '.inputs/sources' });
  for (const [key, source] of Object.entries(lock.sources)) {
    if (takesArchive(source, request.origin) && source.archive !== undefined)
      add(cacheEntry(sourcePath(key), source.archive.sha256));
    else
      add({
        type: 'file',
        path: sourcePath(key),
        executable: false,
        origin: { from: 'git', source: gitSourceOf(source) },
      });
  }
  for (const { name, path } of listPatches(definition, request.series.name)) {
    const file = nameOf(definition, path);
    // Read now, because messages about a failed step need the bytes too.
    const bytes = reading(file, () => readBounded(path, undefined, file));
    if (inputs !== undefined && inputs.patches?.[name] !== sha256(bytes))
      throw changed(`the patches of ${definition.name}`, file);
    add(bytesEntry(`.inputs/sources/${name}`, bytes));
  }
  return [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Name of a file for messages. */
function nameOf(definition: ImageDefinition, path: string): string {
  return relative(workspaceFolderOf(definition), path);
}

function changed(what: string, file: string): CcpError {
  return new CcpError({
    code: 'file-changed',
    message: `${what} changed since the plan was made`,
    hint: 'create the plan again',
    at: { file },
  });
}

function addPython(add: (entry: ContextEntry) => void, { python }: Lock): void {
  const folder = '.inputs/python';
  for (const path of ['build', 'runtime/sdists', 'runtime/wheels'])
    add({ type: 'directory', path: `${folder}/${path}` });
  for (const { kind, file, sha256 } of python.runtime)
    add(cacheEntry(`${folder}/runtime/${kind}s/${file}`, sha256));
  for (const { file, sha256 } of python.build) add(cacheEntry(`${folder}/build/${file}`, sha256));
  add(bytesEntry(`${folder}/requirements.txt`, requirements(python.runtime)));
}

/** npm archives, and a list of them with their target folders. */
function addNpm(add: (entry: ContextEntry) => void, packages: readonly NpmPackage[]): void {
  const archives = new Map(packages.map(({ file, sha256 }) => [file, sha256]));
  for (const [file, hash] of archives) add(cacheEntry(`.inputs/npm/${file}`, hash));
  add(
    bytesEntry(
      '.inputs/npm/list',
      packages
        .map(({ file, path }) => `${file} ${path}\n`)
        .sort()
        .join(''),
    ),
  );
}

/** Input of `go build`: the main module and a module proxy as files. */
function addGo(add: (entry: ContextEntry) => void, { language, files }: LockedGo): void {
  const { mod, sum } = goModuleFiles(language, files);
  add(bytesEntry('.inputs/go/go.mod', mod));
  add(bytesEntry('.inputs/go/go.sum', sum));
  for (const file of files) add(cacheEntry(`.inputs/go/proxy/${goProxyPath(file)}`, file.sha256));
}

function requirements(files: readonly PythonFile[]): string {
  return files
    .map(({ name, version }) => `${name}==${version}\n`)
    .sort()
    .join('');
}

function addFolders(entries: Map<string, ContextEntry>, path: string): void {
  if (path === '.' || entries.has(path)) return;
  addFolders(entries, posix.dirname(path));
  entries.set(path, { type: 'directory', path });
}

function bytesEntry(path: string, content: string | Buffer): ContextEntry {
  const bytes = Buffer.from(content);
  return {
    type: 'file',
    path,
    executable: false,
    sha256: sha256(bytes),
    origin: { from: 'bytes', bytes },
  };
}

function cacheEntry(path: string, hash: PythonFile['sha256']): ContextEntry {
  return {
    type: 'file',
    path,
    executable: false,
    sha256: hash,
    origin: { from: 'cache', sha256: hash },
  };
}

/** The context entry below `folder` for a file record of the folder `from`. */
function diskEntry(
  definition: ImageDefinition,
  folder: string,
  from: string,
  record: FileRecord,
): ContextEntry {
  const path = `${folder}/${record.path}`;
  if (record.type === 'directory') return { type: 'directory', path };
  if (record.type === 'symlink') return { type: 'symlink', path, target: record.target };
  const { executable, sha256 } = record;
  const onDisk = join(from, record.path);
  return {
    type: 'file',
    path,
    executable,
    sha256,
    origin: { from: 'disk', path: onDisk, file: nameOf(definition, onDisk) },
  };
}
