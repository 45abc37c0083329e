import type { Position, Series } from '#core';
import type { Resources } from './app-spec.ts';
import type { ConfigValue, SpecScalar } from './config-spec.ts';

/** One running copy of an app; what it says wins over the app spec. */
export interface SiteApp {
  /** App spec; the key's own name where absent. */
  readonly app?: string;
  /** Requirement -> the instance that meets it, or for a `secret` the Secret's name. */
  readonly requires?: Readonly<Record<string, string>>;
  /** Workload -> replicas. */
  readonly replicas?: Readonly<Record<string, number>>;
  readonly settings?: Readonly<Record<string, SpecScalar>>;
  /** Configuration file -> a layer over those of the app spec. */
  readonly config?: Readonly<Record<string, string | { readonly [key: string]: ConfigValue | null }>>;
  /** Workload -> container -> resources. */
  readonly resources?: Readonly<Record<string, Readonly<Record<string, Resources>>>>;
  /** Group of nodes on which the DaemonSets of the app are different; a node of several has the first of them. */
  readonly nodes?: Readonly<Record<string, NodeGroup>>;
  /** Provided endpoint -> origin under which the outside reaches it: `https://identity.example.org`. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Endpoint with a host -> what is different about the way to it. */
  readonly expose?: Readonly<Record<string, ExposedEndpoint>>;
  /** Secret of the app, or requirement with an account -> its generation; 1 where absent. The action `rotate` writes it. */
  readonly generations?: Readonly<Record<string, number>>;
  /** Schedule -> whether and when. */
  readonly schedule?: Readonly<Record<string, { readonly enabled?: boolean; readonly cron?: string }>>;
}

/** Nodes with any of the labels, and what is different there; it wins over what the app has everywhere. */
export interface NodeGroup {
  /** `key=value`, or `key` for any value. */
  readonly labels: readonly string[];
  readonly config?: SiteApp['config'];
  readonly resources?: SiteApp['resources'];
}

/** What is different about the way to one endpoint. */
export interface ExposedEndpoint {
  /** In place of the site's. */
  readonly tls?: SiteCertificate;
  /** Of its Ingress or HTTPRoute; they win over those of all Ingresses. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Listener of a Gateway of others, in place of the one for its scheme. */
  readonly listener?: string;
}

/** What hosts with https are served with. */
export interface SiteCertificate {
  /** Secret of type `kubernetes.io/tls` in the site's namespace; the controller's own certificate where absent. */
  readonly secret?: string;
  /** Issuer of cert-manager that fills the Secret. */
  readonly issuer?: { readonly kind: 'Issuer' | 'ClusterIssuer'; readonly name: string };
}

/** What hosts are served with unless they have their own, and who is to be trusted for it. */
export interface SiteTls extends SiteCertificate {
  /** Certificates of authorities that not everyone trusts, in PEM. */
  readonly ca?: string;
}

/** Who may connect, as a NetworkPolicy says it. */
export type NetworkPeer =
  | { readonly namespaceSelector?: LabelSelector; readonly podSelector?: LabelSelector; readonly ipBlock?: undefined }
  | { readonly ipBlock: { readonly cidr: string } };

interface LabelSelector {
  readonly matchLabels: Readonly<Record<string, string>>;
}

/** A Gateway of others by its name, or one that is made of a class; nothing of both. */
export interface SiteGateway {
  readonly name?: string;
  /** The site's where absent. */
  readonly namespace?: string;
  /** Scheme of a host -> listener that it is reached by; that for http sends hosts with https there. */
  readonly listeners?: { readonly https?: string; readonly http?: string };
  readonly class?: string;
  readonly addresses?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** How the outside reaches the hosts of apps: by exactly one of `ingress` and `gateway`. */
export interface SiteExposure {
  /** An Ingress for each host; of the cluster's default class where it names none. */
  readonly ingress?: { readonly class?: string; readonly annotations?: Readonly<Record<string, string>> };
  /** An HTTPRoute for each host. */
  readonly gateway?: SiteGateway;
  /** Who brings requests; needed for ports that not anyone may connect to. */
  readonly from?: readonly NetworkPeer[];
}

/** What is done about a field that others have set to another value. */
export interface SiteConflict {
  /** `KIND/NAME`; every object where absent. */
  readonly object?: string;
  /** As `spec.replicas`; `*` stands for every field. */
  readonly field: string;
  readonly policy: 'fail' | 'take' | 'leave';
}

/** An image that is not of our set. */
export interface ExternalImage {
  /** `HOST/PATH@sha256:...`. */
  readonly reference: string;
  /** `kolla`: it is started by kolla_start, which copies files and runs what config.json says. `plain`: as ours. */
  readonly runtime: 'plain' | 'kolla';
  /** Name of the user in a Kolla image that files are given to; the image's name in the app spec where absent. */
  readonly user?: string;
  /** Why it is started as root, as Kolla's keystone is, which gives its logs away before it becomes another user. */
  readonly root?: string;
  /** `WORKLOAD.CONTAINER` or job -> command in place of the app spec's, where the image has its programs elsewhere. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** Job -> environment with which a Kolla image does that job by itself, in place of the command: `{ KOLLA_BOOTSTRAP: "" }`. */
  readonly bootstrap?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** deploy-specs/<name>/site.yaml, checked: what runs where. */
export interface Site {
  readonly name: string;
  readonly schema: string;
  readonly cluster: {
    readonly context: string;
    readonly domain?: string;
    /** Blocks of addresses that pods which use their node's network come from. */
    readonly nodes?: readonly string[];
  };
  readonly namespace: string;
  readonly series: Series;
  /** `HOST[:PORT]/PATH` that images are pulled from. */
  readonly registry: string;
  readonly region: string;
  /** Placement role -> node labels (`key=value`, or `key` for any value); a node with any of them has the role. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** Storage name of app specs -> storage class; `default` serves those not listed. */
  readonly storage: Readonly<Record<string, string>>;
  /** Without it hosts are only registered. */
  readonly expose?: SiteExposure;
  readonly tls?: SiteTls;
  /** Who besides the site's own apps may connect to its metrics, alerts and logs. */
  readonly watchers?: readonly NetworkPeer[];
  readonly apps: Readonly<Record<string, SiteApp>>;
  /** Image name of app specs -> an image of others that runs in its place. */
  readonly external?: Readonly<Record<string, ExternalImage>>;
  /** Later ones win. */
  readonly conflicts?: readonly SiteConflict[];
  /** Where a value stands in the file. */
  position(path: readonly (string | number)[]): Position;
}
