import { CcpError } from '#core';
import { affectedImages, removedImages, type SeriesState } from '#plan';
import type { CommandContext } from '../../command.ts';
import type { ComparedCommits, ComparedSeries } from '../../report/affected-text.ts';
import { chosenSeries } from '../chosen-series.ts';
import { openProject, stateOf } from '../plan.ts';
import { openCommit, type CommitReader } from './commit.ts';
import { baseCommit, commitOf, openRepository } from './repository.ts';

/**
 * Compares the fingerprints at `head`, by default of the work tree, with the commit where it
 * branched off `base`. Throws `usage` for refs that do not exist, `machine-git`, and the errors of
 * the head's workspace.
 */
export async function compareCommits(
  { root, own, flags }: CommandContext,
  { base, head }: { readonly base?: string; readonly head?: string },
): Promise<ComparedCommits> {
  const project = openProject(root, undefined);
  const repository = openRepository(root);
  const headCommit = commitOf(repository, head ?? 'HEAD');
  if (headCommit === undefined)
    throw new CcpError({
      code: 'usage',
      message: `the repository has no commit ${head ?? 'HEAD'}`,
      hint: 'name a branch, tag or commit with --head',
    });
  const commit = baseCommit(repository, base, headCommit, root);
  const open = (of: string) => openCommit({ repository, commit: of, project, own });
  const workTree: CommitReader = {
    state: async (name) => stateOf(openProject(root, name, project.memo)),
    close: () => undefined,
  };
  const before = open(commit);
  const after = head === undefined ? workTree : open(headCommit);
  const series: ComparedSeries[] = [];
  try {
    for (const name of chosenSeries(flags.series, project)) {
      const now = await after.state(name);
      const then = await stateAtBase(before, name, now, commit);
      series.push({
        series: name,
        affected: affectedImages(then, now, `commit ${commit.slice(0, 12)}`),
        removed: removedImages(then, now),
        images: now.images.size + now.unknown.size,
      });
    }
  } finally {
    for (const reader of [before, after]) reader.close();
  }
  project.memo.save();
  return { base: commit, head: head === undefined ? 'worktree' : headCommit, series };
}

/** Without a readable workspace at the base, every image is affected. */
async function stateAtBase(
  reader: CommitReader,
  series: string,
  now: SeriesState,
  commit: string,
): Promise<SeriesState> {
  try {
    return await reader.state(series);
  } catch (thrown) {
    if (!(thrown instanceof CcpError)) throw thrown;
    if (thrown.code === 'series-unknown') return { images: new Map(), unknown: new Map() };
    const reason = `commit ${commit.slice(0, 12)} cannot be planned: ${thrown.message}`;
    return {
      images: new Map(),
      unknown: new Map([...now.images.keys()].map((image) => [image, reason])),
    };
  }
}
