import type { Site } from '#definitions';
import type { Instance } from '../model/instance.ts';

/** The explained instance, and `group` if only nodes of one group are of interest. */
export interface ExplainedApp {
  readonly site: Site;
  readonly instance: Instance;
  readonly instances: ReadonlyMap<string, Instance>;
  readonly group?: string;
}

/** Groups of nodes whose layers are explained. */
export function groupsOf({ instance, group }: ExplainedApp): readonly string[] {
  return group === undefined ? Object.keys(instance.settings.nodes ?? {}) : [group];
}

/** Workloads of the app that run, without the workloads of node groups. */
export function workloadsOf({ spec, onNodes }: Instance): string[] {
  return Object.keys(spec.workloads).filter((name) => onNodes.get(name)?.group === undefined);
}
