import type { AppSpec, Requirement, SiteApp } from '#definitions';
import type { OnNodes } from './node-groups.ts';

/**
 * A running copy of an app with its resolved requirements; its spec has the workloads whose
 * condition is true.
 */
export interface Instance {
  readonly name: string;
  readonly spec: AppSpec;
  readonly settings: SiteApp;
  readonly bindings: ReadonlyMap<string, Binding>;
  /** DaemonSets that are for a part of their role's nodes. */
  readonly onNodes: ReadonlyMap<string, OnNodes>;
}

/** Who meets a requirement: another instance's provision, or a Secret of the site. */
export type Binding =
  | {
      readonly requirement: Requirement;
      readonly provider: string;
      readonly provision: string;
      readonly workload: string;
    }
  | { readonly requirement: Requirement; readonly secret: string };
