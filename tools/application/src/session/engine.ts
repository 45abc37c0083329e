import type { Cluster } from '#ports';
import type { ConflictRule, RunOptions } from '#rollout';
import type { SiteName } from '#rollout';
import type { RenderedSite } from '#site';
import type { ApplicationSources, Overrides } from '../record/record.ts';

/** What every verb uses: a cluster, the run that uses it, and a line of progress. */
export interface ApplicationEngine extends RunOptions {
  readonly cluster: Cluster;
  readonly note: (text: string) => void;
}

/** A workload whose replicas depend on the number of hosts. */
export interface HostedWorkload {
  readonly instance: string;
  readonly workload: string;
  /** Role of its hosts. */
  readonly role: string;
  readonly replicas: number;
  /** Whether its number must be odd. */
  readonly odd: boolean;
  /** Whether two replicas can share a host. */
  readonly spread: 'required' | 'preferred';
}

/** The site of an application, rendered with its overrides. */
export interface ApplicationSite {
  readonly site: SiteName;
  readonly rendered: RenderedSite;
  readonly rules: readonly ConflictRule[];
  /** Role -> node labels. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** Roles that its pods need. */
  readonly needed: readonly string[];
  readonly workloads: readonly HostedWorkload[];
  /** Charts that accept overrides: the instances of the site. */
  readonly charts: readonly string[];
}

/**
 * Renders an application with overrides. Throws findings about the site, and about overrides as
 * `application-overrides`.
 */
export type RenderApplication = (
  name: string,
  sources: ApplicationSources,
  overrides: Overrides,
) => ApplicationSite;
