import { join } from 'node:path';
import { shortLines, shownPath } from '#core';
import type { FileRecord } from '#context';
import type { PlannedImage } from '#plan';
import { askCheckout } from './git.ts';
import { ownFolder } from './ignored-files.ts';
import type { Project } from './project.ts';

const LINK = '120000';
const EXECUTABLE = '100755';
const SUBMODULE = '160000';

/**
 * A line about files of these images whose mode or type differs from git's index, and about
 * submodules: a checkout without modes or links, such as with `core.fileMode` or `core.symlinks`
 * off, has another fingerprint, and git does not show it. Empty outside a git repository. Starts
 * git once; throws the errors of `askCheckout`.
 */
export function indexDifferences(
  project: Project,
  images: readonly PlannedImage[],
): readonly string[] {
  const files = images.flatMap((planned) => recordedFiles(project, planned));
  if (files.length === 0) return [];
  const index = indexModes(
    project.root,
    new Set(['images', ...files.map(({ path }) => path.split('/')[0]!)]),
  );
  const folders = images.flatMap((planned) => ownFolder(project, planned) ?? []);
  const lines = files.flatMap(({ path, record }) => {
    const difference = differenceOf(record, index.get(path));
    return difference === undefined ? [] : [`${shownPath(path)} ${difference}`];
  });
  const submodules = [...index].flatMap(([path, mode]) =>
    mode === SUBMODULE && folders.some((folder) => path.startsWith(`${folder}/files/`))
      ? [
          `${shownPath(path)} is a submodule, whose files a clone may lack; commit the files themselves, or add it as a source of the image`,
        ]
      : [],
  );
  if (lines.length === 0) return submodules;
  return [
    ...submodules,
    `${shortLines(lines, 3).join('; ')}, so a clone gets another fingerprint; commit the change (git add, git update-index --chmod), or check out the files on a file system with modes and links`,
  ];
}

interface RecordedFile {
  /** Relative to the workspace. */
  readonly path: string;
  readonly record: FileRecord;
}

function recordedFiles(project: Project, planned: PlannedImage): readonly RecordedFile[] {
  const folder = ownFolder(project, planned);
  if (folder === undefined) return [];
  const { files, tree = [] } = planned.record;
  return [
    ...files.map((record) => ({ path: join(folder, 'files', record.path), record })),
    ...tree.map((record) => ({ path: record.path, record })),
  ].filter(({ record }) => record.type !== 'directory');
}

/** The difference as a clause; undefined for files that are equal, or not in the index. */
function differenceOf(record: FileRecord, mode: string | undefined): string | undefined {
  if (mode === undefined || record.type === 'directory') return undefined;
  if (record.type === 'symlink')
    return mode === LINK ? undefined : "is a link here, but a file in git's index";
  if (mode === LINK) return "is a file here, but a link in git's index";
  if (record.executable === (mode === EXECUTABLE)) return undefined;
  return record.executable
    ? "is executable here, but not in git's index"
    : "is not executable here, but is in git's index";
}

/** Path relative to `root` -> mode in the index. */
function indexModes(root: string, below: ReadonlySet<string>): ReadonlyMap<string, string> {
  const stdout = askCheckout(root, ['ls-files', '--stage', '-z', '--', ...below]);
  if (stdout === undefined) return new Map();
  return new Map(
    stdout
      .split('\0')
      .slice(0, -1)
      .map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, 6)]),
  );
}
