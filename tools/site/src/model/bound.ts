import type {
  Action,
  Check,
  Container,
  ContainerTemplate,
  ExternalImage,
  JobContainer,
  Resources,
  Site,
  SiteGateway,
  Workload,
} from '#definitions';
import type { SchemaRevisions } from '#release';
import type { Instance } from './instance.ts';
import type { EnvVar } from './kubernetes.ts';
import type { PublicEndpoint } from './public-endpoints.ts';
import type { RenderedAction, SecretRequest, Step } from './types.ts';

/** A site that passed all checks, with every reference resolved. `render` cannot fail on it. */
export interface Bound {
  readonly site: Site;
  /** By name, sorted. */
  readonly instances: ReadonlyMap<string, Instance>;
  /** Configuration files by the name of their instance. */
  readonly files: ReadonlyMap<string, InstanceFiles>;
  readonly secrets: readonly SecretRequest[];
  /** Reference of the image that the Secrets job runs. */
  readonly secretsImage: string;
  /** By wave, then by id. */
  readonly steps: readonly BoundStep[];
  readonly actions: readonly BoundAction[];
  /** Migrations of the image set's images by name. */
  readonly migrations: ReadonlyMap<string, SchemaRevisions>;
}

/** The configuration files of an instance by name. */
export interface InstanceFiles {
  readonly files: ReadonlyMap<string, BoundFile>;
  /** The files of each group of nodes. */
  readonly ofGroups: ReadonlyMap<string, ReadonlyMap<string, BoundFile>>;
}

/** A configuration file with its text. */
export interface BoundFile {
  readonly key: string;
  readonly executable: boolean;
  /** Part of a live file's name instead of the hash; undefined for other files. */
  readonly live: string | undefined;
  readonly text: string;
}

/** A step with its order and the work to render; `objects` are made by `render`. */
export interface BoundStep extends Omit<Step, 'objects'> {
  readonly work: Work<BoundPod>;
}

/** The objects to render for a step. */
export type Work<Pod> =
  | { readonly kind: 'secrets' }
  | {
      readonly kind: 'job';
      readonly name: string;
      readonly component: string;
      readonly role: string;
      readonly spec: JobContainer;
      readonly pod: Pod;
    }
  | {
      readonly kind: 'workload';
      readonly name: string;
      readonly workload: Workload;
      readonly pod: Pod;
    }
  | { readonly kind: 'schedule'; readonly instance: string; readonly name: string }
  | { readonly kind: 'certificate'; readonly secret: string }
  | { readonly kind: 'gateway'; readonly gateway: SiteGateway & { readonly class: string } }
  | { readonly kind: 'endpoint'; readonly endpoint: PublicEndpoint };

/** An action or check of an instance. */
export interface BoundAction {
  readonly kind: RenderedAction['kind'];
  readonly name: string;
  readonly action: Action | Check;
  readonly pod: BoundPod;
}

/** The containers of a pod with all values resolved. */
export interface BoundPod {
  /** The app whose image, user, Secrets and files the pod has. */
  readonly instance: Instance;
  /** Workload of the app spec; absent for jobs. */
  readonly workload?: string;
  readonly containers: Readonly<Record<string, BoundContainer>>;
}

/** A container with its image, environment and commands resolved. */
export interface BoundContainer {
  readonly spec: ContainerTemplate & Partial<Container>;
  /** Reference by digest, or the site's reference of an external image. */
  readonly image: string;
  readonly env: readonly EnvVar[];
  readonly command: readonly string[];
  /** Commands of the probes that have one. */
  readonly probes: Readonly<Partial<Record<ProbeKind, readonly string[]>>>;
  /** Resources that the site sets. */
  readonly resources?: Resources;
  readonly external?: BoundExternal;
}

export const PROBE_KINDS = ['startup', 'readiness', 'liveness'] as const;
export type ProbeKind = (typeof PROBE_KINDS)[number];

/** The site's definition of the external image of a container. */
export interface BoundExternal {
  /** Name of the image. */
  readonly name: string;
  readonly image: ExternalImage;
  /** `WORKLOAD.CONTAINER`, or the name of a job, action or check. */
  readonly place: string;
}
