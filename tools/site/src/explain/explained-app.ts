import type { Site } from '#definitions';
import type { Instance } from '../model/instance.ts';

/** An instance that is explained; `group` where only its nodes of one group are asked about. */
export interface ExplainedApp {
  readonly site: Site;
  readonly instance: Instance;
  readonly instances: ReadonlyMap<string, Instance>;
  readonly group?: string;
}

/** Groups of nodes whose layers are told. */
export function groupsOf({ instance, group }: ExplainedApp): readonly string[] {
  return group === undefined ? Object.keys(instance.settings.nodes ?? {}) : [group];
}

/** Workloads of the app that run, those for groups of nodes left out. */
export function workloadsOf({ spec, onNodes }: Instance): string[] {
  return Object.keys(spec.workloads).filter((name) => onNodes.get(name)?.group === undefined);
}
