import { join } from 'node:path';

/** Folders, addresses and ports of a control plane. */
export interface ControlPlanePlaces {
  readonly pki: string;
  readonly data: string;
  /** Address of the API server. */
  readonly address: string;
  /** Address range of Services, such as `10.96.0.0/16`. */
  readonly services: string;
  /** Whether kubelets run: the API server then connects to them, and pods connect to it. */
  readonly withKubelets: boolean;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly apiPort: number;
  readonly controllersPort: number;
  readonly schedulerPort: number;
}

/** Arguments of etcd, without fsync: its data need not survive a crash. */
export function etcdArguments({
  data,
  etcdPort,
  etcdPeerPort,
}: ControlPlanePlaces): readonly string[] {
  const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${etcdPeerPort}`];
  return [
    `--data-dir=${join(data, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

/** Arguments of the API server. It publishes its address only if kubelets run. */
export function apiServerArguments({
  pki,
  address,
  services,
  withKubelets,
  etcdPort,
  apiPort,
}: ControlPlanePlaces): readonly string[] {
  const file = (name: string) => join(pki, name);
  const kubelets = [
    `--advertise-address=${address}`,
    '--enable-admission-plugins=NodeRestriction',
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-certificate-authority=${file('ca.crt')}`,
    `--kubelet-client-certificate=${file('admin.crt')}`,
    `--kubelet-client-key=${file('admin.key')}`,
  ];
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--bind-address=${address}`,
    `--secure-port=${apiPort}`,
    ...(withKubelets ? kubelets : ['--endpoint-reconciler-type=none']),
    `--client-ca-file=${file('ca.crt')}`,
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${file('accounts.pub')}`,
    `--service-account-signing-key-file=${file('accounts.key')}`,
    '--authorization-mode=Node,RBAC',
    `--service-cluster-ip-range=${services}`,
    '--allow-privileged=true',
    '--profiling=false',
    '--shutdown-delay-duration=0s',
  ];
}

/** Arguments of the controller manager. */
export function controllersArguments(
  { pki, controllersPort }: ControlPlanePlaces,
  kubeconfig: string,
): readonly string[] {
  return [
    ...asClient(kubeconfig),
    `--secure-port=${controllersPort}`,
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${join(pki, 'accounts.key')}`,
    `--root-ca-file=${join(pki, 'ca.crt')}`,
    '--allocate-node-cidrs=false',
    '--concurrent-deployment-syncs=20',
    '--concurrent-statefulset-syncs=20',
  ];
}

/** Arguments of the scheduler. */
export function schedulerArguments(
  { schedulerPort }: ControlPlanePlaces,
  kubeconfig: string,
): readonly string[] {
  return [...asClient(kubeconfig), `--secure-port=${schedulerPort}`];
}

function asClient(kubeconfig: string): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
    '--profiling=false',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
}
