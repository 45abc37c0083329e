import type { Position, Series } from '#core';
import type { Resources } from './container-parts.ts';
import type { ConfigValue, SpecScalar } from './config-spec.ts';

/** An instance of an app; its values override the app spec's. */
export interface SiteApp {
  /** Name of the app spec; the instance's name if absent. */
  readonly app?: string;
  /** Requirement -> the instance that provides it, or the Secret's name for kind `secret`. */
  readonly requires?: Readonly<Record<string, string>>;
  /** Workload -> replicas. */
  readonly replicas?: Readonly<Record<string, number>>;
  readonly settings?: Readonly<Record<string, SpecScalar>>;
  /** Configuration file -> a layer on top of the app spec's layers. */
  readonly config?: Readonly<
    Record<string, string | { readonly [key: string]: ConfigValue | null }>
  >;
  /** Workload -> container -> resources. */
  readonly resources?: Readonly<Record<string, Readonly<Record<string, Resources>>>>;
  /** Groups of nodes on which the DaemonSets differ; a node in several groups uses the first. */
  readonly nodes?: Readonly<Record<string, NodeGroup>>;
  /**
   * Provided endpoint -> origin for clients outside the cluster: `https://identity.example.org`.
   */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Endpoint with a host -> differences from the site's `expose`. */
  readonly expose?: Readonly<Record<string, ExposedEndpoint>>;
  /** Connections that its pods can open in addition to those to required apps. */
  readonly egress?: readonly EgressRule[];
  /**
   * Secret of the app, or requirement with an account -> generation; 1 if absent. Written by the
   * action `rotate`.
   */
  readonly generations?: Readonly<Record<string, number>>;
  /** Schedule -> changes to it. */
  readonly schedule?: Readonly<
    Record<string, { readonly enabled?: boolean; readonly cron?: string }>
  >;
}

/** Nodes with any of the labels, and the values that override the app's on these nodes. */
export interface NodeGroup {
  /** `key=value`, or `key` for any value. */
  readonly labels: readonly string[];
  readonly config?: SiteApp['config'];
  readonly resources?: SiteApp['resources'];
}

/** Settings for exposing one endpoint. */
export interface ExposedEndpoint {
  /** Certificate that replaces the site's. */
  readonly tls?: SiteCertificate;
  /** Annotations of its Ingress or HTTPRoute; they override those of all Ingresses. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Listener of an existing Gateway, instead of the listener for its scheme. */
  readonly listener?: string;
}

/** Certificate of hosts with https. */
export interface SiteCertificate {
  /**
   * Secret of type `kubernetes.io/tls` in the site's namespace; if absent, the controller's default
   * certificate is used.
   */
  readonly secret?: string;
  /** cert-manager issuer that fills the Secret. */
  readonly issuer?: { readonly kind: 'Issuer' | 'ClusterIssuer'; readonly name: string };
}

/** Default certificate of hosts, and its CA. */
export interface SiteTls extends SiteCertificate {
  /** CA certificates that are not publicly trusted, in PEM. */
  readonly ca?: string;
}

/** Pods or addresses, in NetworkPolicy syntax. */
export type NetworkPeer =
  | {
      readonly namespaceSelector?: LabelSelector;
      readonly podSelector?: LabelSelector;
      readonly ipBlock?: undefined;
    }
  | { readonly ipBlock: { readonly cidr: string } };

/** Destinations and their TCP ports; all if absent. */
export interface EgressRule {
  readonly to?: readonly NetworkPeer[];
  readonly ports?: readonly number[];
}

interface LabelSelector {
  readonly matchLabels: Readonly<Record<string, string>>;
}

/** An existing Gateway by name, or a class to create one. */
export interface SiteGateway {
  readonly name?: string;
  /** The site's namespace if absent. */
  readonly namespace?: string;
  /** Scheme of a host -> listener; the http listener redirects requests for hosts with https. */
  readonly listeners?: { readonly https?: string; readonly http?: string };
  readonly class?: string;
  readonly addresses?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** How clients outside the cluster reach hosts: by exactly one of `ingress` and `gateway`. */
export interface SiteExposure {
  /** An Ingress for each host; the cluster's default class if absent. */
  readonly ingress?: {
    readonly class?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** An HTTPRoute for each host. */
  readonly gateway?: SiteGateway;
  /**
   * Pods or addresses of the Ingress controller or Gateway; not needed for ports with `from:
   * anyone`.
   */
  readonly from?: readonly NetworkPeer[];
}

/** Rule for a field that another field manager set to another value. */
export interface SiteConflict {
  /** `KIND/NAME`; every object if absent. */
  readonly object?: string;
  /** Such as `spec.replicas`; `*` matches every field. */
  readonly field: string;
  readonly policy: 'fail' | 'take' | 'leave';
}

/** An image from outside the image set. */
export interface ExternalImage {
  /** `HOST/PATH@sha256:...`. */
  readonly reference: string;
  /**
   * `kolla`: started by kolla_start, which copies files and runs the command in config.json.
   * `plain`: like images of the set.
   */
  readonly runtime: 'plain' | 'kolla';
  /**
   * User in a Kolla image that owns the copied files; the image's name in the app spec if absent.
   */
  readonly user?: string;
  /**
   * Why it is started as root; Kolla's keystone changes the owner of its logs before it drops root.
   */
  readonly root?: string;
  /** `WORKLOAD.CONTAINER` or job -> command that replaces the app spec's. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** Job -> environment that makes a Kolla image do the job itself: `{ KOLLA_BOOTSTRAP: "" }`. */
  readonly bootstrap?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** deploy-specs/<name>/site.yaml, checked: one deployment of apps on a cluster. */
export interface Site {
  readonly name: string;
  readonly schema: string;
  readonly cluster: {
    readonly context: string;
    readonly domain?: string;
    /** Address blocks of the nodes, for pods that use the node's network. */
    readonly nodes?: readonly string[];
  };
  readonly namespace: string;
  /**
   * Namespace of workloads that need rights on their node; `<namespace>-node` if absent. Equal to
   * `namespace`, all objects are in one namespace.
   */
  readonly nodeNamespace?: string;
  readonly series: Series;
  /** Public keys in the site's folder; only sets that one of them signed are deployed. */
  readonly keys?: readonly string[];
  /** `HOST[:PORT]/PATH` that images are pulled from. */
  readonly registry: string;
  readonly region: string;
  /**
   * Placement role -> node labels (`key=value`, or `key` for any value); a node with any of them
   * has the role.
   */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /**
   * Storage name in app specs -> storage class; `default` is used for names that are not listed.
   */
  readonly storage: Readonly<Record<string, string>>;
  /** Without it, hosts are only registered in the catalogue. */
  readonly expose?: SiteExposure;
  readonly tls?: SiteTls;
  /** Additional clients of metrics, alerts and logs. */
  readonly watchers?: readonly NetworkPeer[];
  /** The operator whose metrics the monitoring apps collect. */
  readonly operator?: { readonly namespace: string };
  readonly apps: Readonly<Record<string, SiteApp>>;
  /** Image name in app specs -> an external image that is used instead. */
  readonly external?: Readonly<Record<string, ExternalImage>>;
  /** Later rules override earlier ones. */
  readonly conflicts?: readonly SiteConflict[];
  /** Position of a value in the file. */
  position(path: readonly (string | number)[]): Position;
}
