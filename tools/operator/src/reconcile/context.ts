import type { Clock, Cluster } from '#ports';
import type { ConflictRule, MarkedProcess } from '#rollout';
import type { RenderedSite } from '#site';
import type { SetReference } from '../resources/types.ts';
import type { OperatorEvent } from './events.ts';

/** A site and its set as a resource names them, with the text of the site if it is known. */
export interface SiteRequest {
  readonly name: string;
  readonly namespace: string;
  readonly set: SetReference;
  readonly site: { readonly text: string; readonly file: string } | { readonly artifact: string };
}

/** A rendered site. */
export interface SourcedSite {
  readonly name: string;
  readonly namespace: string;
  readonly rendered: RenderedSite;
  /** The site's rules for fields of other managers. */
  readonly rules: readonly ConflictRule[];
}

/**
 * Reads the set, checks its signature, and renders the site. Throws every error that a change of
 * the resource fixes, and `registry-*` and `cluster-*` errors, after which a retry may help.
 */
export type SiteSource = (request: SiteRequest) => Promise<SourcedSite>;

/** The world of a pass over a resource. */
export interface OperatorContext {
  /** Refuses writes while another operator may be the leader. */
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly source: SiteSource;
  /** The name in records and locks. */
  readonly by: string;
  /** The name of this process in locks. */
  readonly run: string;
  readonly process?: MarkedProcess;
  readonly report: (event: OperatorEvent) => void;
}
