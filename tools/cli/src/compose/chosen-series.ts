import { CcpError } from '#core';
import type { Project } from './project.ts';

/** The value of `--series` for every stable series. */
const ALL = 'all';

/**
 * The names of series in `--series`: one, several separated by commas, or `all`. Without the
 * option: the workspace's default. `all` leaves out series whose constraints come from a branch,
 * such as master. Throws `usage` if no name is left.
 */
export function chosenSeries(
  given: string | undefined,
  { workspace, series }: Pick<Project, 'workspace' | 'series'>,
): readonly string[] {
  if (given === undefined) return [series.name];
  const names = given.split(',').filter((name) => name !== '');
  if (names.length === 0)
    throw new CcpError({
      code: 'usage',
      message: `--series "${given}" names no series`,
      hint: 'name one or more series, separated by commas, or all',
    });
  const all = workspace.series
    .filter(({ constraintsFrom }) => constraintsFrom === undefined)
    .map(({ name }) => name as string);
  return [...new Set(names.flatMap((name) => (name === ALL ? all : [name])))];
}

/** True if `--series` names more than one series. */
export function isManySeries(given: string | undefined): boolean {
  return given !== undefined && given.split(',').some((name, index) => name === ALL || index > 0);
}
