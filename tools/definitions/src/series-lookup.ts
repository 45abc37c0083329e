import { CcpError, nearest } from '#core';
import type { SeriesDefinition, SeriesItem, Workspace } from './types.ts';

/** Values of the items that apply to `series`, in order. */
export function forSeries(
  items: readonly SeriesItem[],
  { name, suite }: Pick<SeriesDefinition, 'name' | 'suite'>,
): string[] {
  return items
    .filter(
      ({ series, suites }) => (series?.includes(name) ?? true) && (suites?.includes(suite) ?? true),
    )
    .map(({ value }) => value);
}

/** The series `name`; raises `series-unknown` with the nearest known name. */
export function seriesOf(workspace: Workspace, name: string): SeriesDefinition {
  const found = workspace.series.find((series) => series.name === name);
  if (found !== undefined) return found;
  const names = workspace.series.map((series) => series.name);
  const meant = nearest(name, names);
  throw new CcpError({
    code: 'series-unknown',
    message: `unknown series "${name}"`,
    hint: `${meant === undefined ? '' : `did you mean ${meant}? `}images/series.yaml has ${names.join(', ')}`,
  });
}
