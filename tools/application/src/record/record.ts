import type { SiteName } from '#rollout';
import type { ApplicationState } from '../states.ts';

/** An application in a cluster, without its files. */
export interface ApplicationRecord {
  readonly format: 1;
  readonly name: string;
  readonly version: string;
  readonly state: ApplicationState;
  /** Why the last run failed. */
  readonly reason?: string;
  /** The site that it deploys; absent if its tarball has none. */
  readonly site?: SiteName;
  /** Role -> node labels of the site. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** Who changed it last: `user@host`. */
  readonly by: string;
  /** The last change of the state, RFC 3339. */
  readonly at: string;
  /** Revision of the site that the last good run applied. */
  readonly revision?: number;
  /** What an update started from, until it is good. */
  readonly from?: EarlierVersion;
}

/** The version before an update. */
export interface EarlierVersion {
  readonly version: string;
  readonly revision: number;
  readonly overrides: OverrideLayers;
}

/** Texts of an application by path, from which its site is rendered. */
export type ApplicationSources = Readonly<Record<string, string>>;

/** Values of a chart, as a chart's file of values has them. */
export type ChartValues = Readonly<Record<string, unknown>>;

/** Overrides by chart. */
export type Overrides = Readonly<Record<string, ChartValues>>;

/** Layers of overrides; a later one wins. */
export interface OverrideLayers {
  readonly system: Overrides;
  readonly user: Overrides;
}
