import { join, relative } from 'node:path';
import { shownPath } from '#core';
import type { PlannedImage } from '#plan';
import { askCheckout } from './git.ts';
import { definitionOf } from './inputs.ts';
import type { Project } from './project.ts';

/** A gitignore rule: its place as git prints it, and its pattern. */
interface Rule {
  readonly place: string;
  readonly pattern: string;
}

/**
 * A line for each image that uses files ignored by git: a clone does not have them and
 * gets another fingerprint. Empty outside a git repository. Starts git once; throws the errors of
 * `askCheckout`.
 */
export function ignoredFileLines(
  project: Project,
  images: readonly PlannedImage[],
): readonly string[] {
  const files = images.map((planned) => ({
    image: planned.image,
    paths: ownFiles(project, planned),
  }));
  const rules = ignoringRules(
    project.root,
    files.flatMap(({ paths }) => paths),
  );
  return files.flatMap(({ image, paths }) => {
    const [first, ...more] = paths.filter((path) => rules.has(path));
    if (first === undefined) return [];
    const { place, pattern } = rules.get(first)!;
    const [what, it] = more.length === 0 ? ['is', 'it'] : [`and ${more.length} more are`, 'them'];
    return [
      `${shownPath(first)} ${what} in ${image}, but git ignores ${it} (${place}: ${pattern}), so a clone gets another fingerprint; add ${it} with \`git add -f\`, or remove ${it}`,
    ];
  });
}

/**
 * Paths in this workspace of the image's `files` and `tree`; empty for an image of an overlaid
 * workspace.
 */
function ownFiles(project: Project, planned: PlannedImage): readonly string[] {
  const { record } = planned;
  const folder = ownFolder(project, planned);
  if (folder === undefined) return [];
  const files = record.files
    .filter(({ type }) => type !== 'directory')
    .map(({ path }) => join(folder, 'files', path));
  return [
    ...files,
    ...(record.tree ?? []).filter(({ type }) => type !== 'directory').map(({ path }) => path),
  ];
}

/**
 * The image's folder relative to this workspace; undefined for an image of an overlaid workspace.
 */
export function ownFolder(
  project: Project,
  { image }: Pick<PlannedImage, 'image'>,
): string | undefined {
  const folder = relative(project.root, definitionOf(project, image).folder);
  return folder.startsWith('..') ? undefined : folder;
}

/** Path -> the rule that makes git ignore it; without tracked files. */
function ignoringRules(root: string, paths: readonly string[]): ReadonlyMap<string, Rule> {
  if (paths.length === 0) return new Map();
  const stdout = askCheckout(root, ['check-ignore', '--stdin', '-z', '--verbose'], {
    input: paths.map((path) => `${path}\0`).join(''),
    empty: 1,
  });
  if (stdout === undefined) return new Map();
  const fields = stdout.split('\0');
  const rules = new Map<string, Rule>();
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [source, line, pattern, path] = fields.slice(at, at + 4) as [
      string,
      string,
      string,
      string,
    ];
    if (!pattern.startsWith('!')) rules.set(path, { place: `${source}:${line}`, pattern });
  }
  return rules;
}
