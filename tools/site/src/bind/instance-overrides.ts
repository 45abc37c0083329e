import type { AppSpec, Site, SiteApp } from '#definitions';

/** One instance with its settings in the site; `spec` has only the workloads that run. */
export interface Overrides {
  readonly site: Site;
  readonly name: string;
  readonly spec: AppSpec;
  readonly settings: SiteApp;
}
