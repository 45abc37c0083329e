import type { SeriesDefinition, Workspace } from '#definitions';
import type { ImageGraph } from '#graph';
import type { Memo } from '#ports';
import type { StatePaths } from '../state/paths.ts';
import type { Settings } from './settings.ts';

/** A workspace, read for one series. */
export interface Project {
  readonly root: string;
  readonly settings: Settings;
  readonly paths: StatePaths;
  readonly memo: Memo;
  readonly workspace: Workspace;
  readonly series: SeriesDefinition;
  readonly graph: ImageGraph;
}
