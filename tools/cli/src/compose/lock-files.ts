import {
  diffLocks,
  endOfLifeLines,
  lockFaults,
  lockHint,
  readLock,
  renderLockDiff,
  resolveLocks,
  suiteEndOfLifeLines,
  type LockDiff,
  type LockedImage,
} from '#locks';
import type { CommandContext } from '../command.ts';
import { EXIT } from '../report/exit-codes.ts';
import { expiredLines } from './expired-lines.ts';
import { lockStatuses, openProject, selection } from './plan.ts';
import type { Project } from './project.ts';
import { withRequest } from './lock-request.ts';
import { unknownOverrideLines } from './unknown-overrides.ts';

/**
 * Reports locks that are out of date, expired overrides, and infrastructure past its end of life;
 * resolves with the exit code.
 */
export async function checkLockFiles(
  { root, output, flags }: CommandContext,
  names: readonly string[],
): Promise<number> {
  const project = openProject(root, flags.series);
  const statuses = lockStatuses(project);
  const images = selection(project, names);
  project.memo.save();
  const wrong = images
    .flatMap((image) => statuses.get(image) ?? [])
    .filter(({ state }) => state !== 'current');
  const lines = lockFaults(wrong);
  const expired = expiredLines(project.series);
  const today = new Date().toISOString().slice(0, 10);
  const { name: series, suite } = project.series;
  const ended = [
    ...suiteEndOfLifeLines(suite, today),
    ...images
      .filter((image) => statuses.get(image)?.state === 'current')
      .flatMap((image) =>
        endOfLifeLines(readLock(project.graph.images.get(image)!, series), suite, today),
      ),
  ];
  const answer =
    wrong.length === 0
      ? [images.length === 1 ? '1 lock is up to date' : `${images.length} locks are up to date`]
      : [...lines, `  -> ${lockHint(wrong, statuses.size, project.series.name)}`];
  output.result([...answer, ...expired, ...ended].join('\n'), {
    series,
    checked: images.length,
    wrong: wrong.map(({ summary: _, ...status }) => status),
    expired,
    ended,
  });
  return wrong.length === 0 ? EXIT.done : EXIT.lock;
}

/** Resolves and writes locks; prints their changes. */
export async function writeLockFiles(
  { root, output, flags }: CommandContext,
  names: readonly string[],
  update: boolean,
): Promise<number> {
  const project = openProject(root, flags.series);
  selection(project, names);
  for (const line of expiredLines(project.series)) output.warn(line);
  const without = withoutRef(project);
  if (without !== undefined) output.info(without);
  const result = await withRequest(project, names, update, output, resolveLocks);
  const differences = result.images.map(differenceOf);
  const { stale } = result;
  const hint = lockHint(
    stale.map((image) => ({ image })),
    project.graph.order.length,
    project.series.name,
  );
  const lines = [
    ...differences.flatMap(differenceLines),
    ...(stale.length === 0 ? [] : [`out of date now: ${stale.join(', ')}\n  -> ${hint}`]),
  ];
  for (const line of unknownOverrideLines(project)) output.warn(line);
  output.result(lines.join('\n'), { series: project.series.name, images: differences, stale });
  return 0;
}

/** The change of an image's lock; `difference` is undefined without a previous lock. */
interface LockDifference extends Pick<LockedImage, 'image' | 'file' | 'outcome' | 'unreadable'> {
  readonly difference: LockDiff | undefined;
}

function differenceOf({
  image,
  file,
  outcome,
  before,
  after,
  unreadable,
}: LockedImage): LockDifference {
  const difference = before === undefined ? undefined : diffLocks(before, after);
  return { image, file, outcome, difference, ...(unreadable === true ? { unreadable } : {}) };
}

function differenceLines({
  file,
  outcome,
  difference,
  unreadable,
}: LockDifference): readonly string[] {
  if (outcome === 'unchanged') return [`${file}: unchanged`];
  if (difference === undefined)
    return [
      `${file}: ${unreadable === true ? 'written again, since the existing file could not be read' : 'new'}`,
    ];
  return difference.changes.length === 0
    ? [`${file}: up to date again; no package changed`]
    : [`${file}:`, renderLockDiff(difference)];
}

/**
 * A line that names the images without a ref for the series and a remedy. Undefined without such
 * images.
 */
function withoutRef({ series, graph }: Project): string | undefined {
  const names = [...graph.absent.keys()].sort();
  const first = names[0];
  if (series.images !== undefined || first === undefined) return undefined;
  const { reason, hint } = graph.absent.get(first)!;
  return `not in ${series.name}: ${names.join(', ')}; ${first}: ${reason}; to add it, ${hint}`;
}
