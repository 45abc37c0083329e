import type { Container, ContainerTemplate, Resources, Volume, Workload } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { Scope } from '../model/facts.ts';
import type { Instance } from '../model/instance.ts';
import type { OnNodes } from '../model/node-groups.ts';
import type { SiteInput } from '../model/types.ts';
import type { RenderedFile } from './config-maps.ts';
import type { Beside, Spread } from './placement.ts';

/** What a pod is rendered from. */
export interface PodInput {
  readonly input: SiteInput;
  /** The app whose image, user, secrets and files the pod has. */
  readonly instance: Instance;
  readonly scope: Scope;
  readonly files: ReadonlyMap<string, RenderedFile>;
  /** Where ConfigMaps are gathered that a container's runtime needs; by name. */
  readonly runtimeFiles: Map<string, KubernetesObject>;
  readonly role: string;
  readonly spread?: Spread;
  readonly beside?: Beside;
  readonly onNodes?: OnNodes | undefined;
  readonly host?: Workload['host'];
  readonly shareProcessNamespace?: Workload['shareProcessNamespace'];
  /** Whether the pod calls the API server with its account. */
  readonly account?: boolean;
  /** Workload whose pod it is; a pod without is a job's. */
  readonly workload?: string;
  readonly volumes: Readonly<Record<string, Volume>>;
  /** Path of the containers in the app spec. */
  readonly containers: Readonly<
    Record<
      string,
      {
        readonly spec: ContainerTemplate & Partial<Container>;
        readonly path: readonly string[];
        readonly resources?: Resources;
      }
    >
  >;
}
