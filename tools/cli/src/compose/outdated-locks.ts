import { counted } from '#core';
import { diffLocks, previewLocks, renderLockDiff, type LockedImage } from '#locks';
import type { CommandContext } from '../command.ts';
import { EXIT } from '../report/exit-codes.ts';
import { withRequest } from './lock-request.ts';
import { openProject, selection } from './plan.ts';

/**
 * Prints the changes that `ccp lock --update` would make to the locks of the images; writes no
 * lock. Resolves with the exit code.
 */
export async function showOutdatedLocks(
  { root, output, flags }: CommandContext,
  names: readonly string[],
): Promise<number> {
  const project = openProject(root, flags.series);
  selection(project, names);
  const locked = await withRequest(project, names, true, output, previewLocks);
  const { name } = project.series;
  output.result(outdatedText(locked, name, names), {
    series: name,
    images: locked.map(({ image, file, before, after, outcome }) => ({
      image,
      file,
      outdated: outcome === 'written',
      changes: diffLocks(before, after).changes,
    })),
  });
  return EXIT.done;
}

function outdatedText(
  locked: readonly LockedImage[],
  series: string,
  asked: readonly string[],
): string {
  const outdated = locked.filter(({ outcome }) => outcome === 'written');
  const all = counted(locked.length, 'lock');
  const isOne = locked.length === 1;
  if (outdated.length === 0)
    return `an update would ${isOne ? 'not change the lock' : `change none of ${all}`}`;
  const isAll = asked.length === 0 && outdated.length === locked.length;
  const names = isAll ? [] : outdated.map(({ image }) => image);
  return [
    ...outdated.map(outdatedLines),
    `an update would change ${isOne ? 'the lock' : `${outdated.length} of ${all}`}`,
    `  -> run: ${['ccp lock', ...names, '--update', '--series', series].join(' ')}`,
  ].join('\n');
}

function outdatedLines({ file, before, after }: LockedImage): string {
  if (before === undefined) return `${file}: new`;
  const difference = renderLockDiff(diffLocks(before, after)).trimEnd();
  return difference === '' ? `${file}: no package changes` : difference;
}
