/** The part of a pod that we render; everything else is left to Kubernetes' defaults. */
export interface PodSpec {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: false;
  readonly hostNetwork?: true;
  readonly hostPID?: true;
  readonly hostIPC?: true;
  readonly shareProcessNamespace?: true;
  readonly dnsPolicy?: 'ClusterFirstWithHostNet';
  readonly restartPolicy?: 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: object;
  readonly affinity: object;
  readonly topologySpreadConstraints?: readonly object[];
  readonly containers: readonly PodContainer[];
  readonly volumes: readonly PodVolume[];
}

/** The part of a container that we render. */
export interface PodContainer {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly EnvVar[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: object;
  readonly readinessProbe?: object;
  readonly livenessProbe?: object;
  readonly lifecycle?: object;
  readonly resources: object;
  readonly securityContext: object;
  readonly volumeMounts: readonly {
    readonly name: string;
    readonly mountPath: string;
    readonly subPath?: string;
    readonly readOnly?: boolean;
    readonly mountPropagation?: 'HostToContainer' | 'Bidirectional';
  }[];
}

/** The part of a volume that we render: its name and one other member. */
export interface PodVolume {
  readonly name: string;
  readonly configMap?: { readonly name: string; readonly defaultMode: number };
  readonly secret?: { readonly secretName: string; readonly defaultMode: number };
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly emptyDir?: { readonly sizeLimit: string; readonly medium?: 'Memory' };
  readonly hostPath?: {
    readonly path: string;
    readonly type?: 'DirectoryOrCreate' | 'Directory' | 'File' | 'Socket' | 'CharDevice';
  };
}

/** A member of `env` of a Kubernetes container. */
export type EnvVar =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string;
      readonly valueFrom:
        | { readonly secretKeyRef: { readonly name: string; readonly key: string } }
        | { readonly fieldRef: { readonly fieldPath: string } };
    };
