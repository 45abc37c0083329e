import { spawnSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { shownPath } from '#core';
import type { BuildPlan, PlannedImage } from '#plan';
import { definitionOf } from './compose-inputs.ts';
import type { Project } from './compose.ts';

/** A rule by which git ignores a file: where it stands, as git names it, and how it is spelt. */
interface Rule {
  readonly place: string;
  readonly pattern: string;
}

/** Git is not waited for longer: what it would say is only a warning. */
const PATIENCE_MS = 5000;

/**
 * A line for each image to be built that takes files from the repository which git ignores: who clones it lacks them, and gets another
 * fingerprint. None where the workspace is not in a git repository, or git is not installed. Costs one start of git.
 */
export function ignoredFileLines(project: Project, { images }: BuildPlan): readonly string[] {
  const files = images.filter(({ action }) => action === 'build').map((planned) => ({ image: planned.image, paths: ownFiles(project, planned) }));
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

/** Paths below the workspace of what the image has of its `files` and `tree`; none of a workspace that this one overlays. */
function ownFiles(project: Project, { image, record }: PlannedImage): readonly string[] {
  const folder = relative(project.root, definitionOf(project, image).folder);
  if (folder.startsWith('..')) return [];
  const files = record.files.filter(({ type }) => type !== 'directory').map(({ path }) => join(folder, 'files', path));
  return [...files, ...(record.tree ?? []).filter(({ type }) => type !== 'directory').map(({ path }) => path)];
}

/** Path -> the rule that has git ignore it; files that git tracks all the same are not among them. */
function ignoringRules(root: string, paths: readonly string[]): ReadonlyMap<string, Rule> {
  if (paths.length === 0) return new Map();
  const args = ['-c', 'core.fsmonitor=false', 'check-ignore', '--stdin', '-z', '--verbose'];
  const { status, stdout } = spawnSync('git', args, {
    cwd: root,
    input: paths.map((path) => `${path}\0`).join(''),
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) return new Map();
  const fields = stdout.split('\0');
  const rules = new Map<string, Rule>();
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [source, line, pattern, path] = fields.slice(at, at + 4) as [string, string, string, string];
    if (!pattern.startsWith('!')) rules.set(path, { place: `${source}:${line}`, pattern });
  }
  return rules;
}
