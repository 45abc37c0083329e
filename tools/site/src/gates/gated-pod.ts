import { gateArguments, type GateCondition } from './gate-condition.ts';

/**
 * Seconds that a gate waits. A gate of a workload then starts again; the Job of another one fails.
 */
export const GATE_SECONDS = 3600;

const VOLUME = 'ccp-gate';
const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const USER = 42402;

/** The members of a pod that a gate changes. */
export interface GatedPod {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken: boolean;
  readonly initContainers?: readonly object[];
  readonly volumes: readonly object[];
}

/** A pod with a gate. Only the gate has the token of the account, unless the pod had one before. */
export function gatedPod<P extends GatedPod>(
  pod: P,
  gate: {
    readonly image: string;
    readonly account: string;
    readonly conditions: readonly GateCondition[];
  },
): P {
  return {
    ...pod,
    serviceAccountName: pod.automountServiceAccountToken ? pod.serviceAccountName : gate.account,
    initContainers: [
      {
        name: 'gate',
        image: gate.image,
        command: [
          'gate',
          ...gate.conditions.flatMap(gateArguments),
          '--timeout',
          `${GATE_SECONDS}s`,
        ],
        resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
        securityContext: {
          runAsNonRoot: true,
          runAsUser: USER,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [{ name: VOLUME, mountPath: ACCOUNT_FOLDER, readOnly: true }],
      },
      ...(pod.initContainers ?? []),
    ],
    volumes: [...pod.volumes, tokenVolume()],
  };
}

/** The files that the kubelet mounts for an account, readable by the pod's group. */
function tokenVolume(): object {
  return {
    name: VOLUME,
    projected: {
      defaultMode: 0o440,
      sources: [
        { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
        {
          configMap: {
            name: 'kube-root-ca.crt',
            items: [{ key: 'ca.crt', path: 'ca.crt' }],
          },
        },
      ],
    },
  };
}
