import { fileURLToPath } from 'node:url';

/** A Go module of ours that names programs and every version below them. */
export interface ProgramModule {
  readonly name: string;
  readonly folder: string;
  /** Program by the Go package that it is made of. */
  readonly programs: Readonly<Record<string, string>>;
  readonly linkerFlags: readonly string[];
}

const KUBERNETES_VERSION = /\bk8s\.io\/kubernetes v(\d+)\.(\d+)\.(\d+)/;
const folderOf = (name: string) => fileURLToPath(new URL(`modules/${name}`, import.meta.url));

/** The modules that a control plane without a node is built from. `kubernetesMod` is the text of the Kubernetes module's go.mod. */
export function clusterModules(kubernetesMod: string): readonly ProgramModule[] {
  return [
    { name: 'etcd', folder: folderOf('etcd'), programs: { etcd: 'go.etcd.io/etcd/server/v3' }, linkerFlags: [] },
    {
      name: 'kubernetes',
      folder: folderOf('kubernetes'),
      programs: Object.fromEntries(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((name) => [name, `k8s.io/kubernetes/cmd/${name}`])),
      linkerFlags: versionFlags(kubernetesMod),
    },
    { name: 'kwok', folder: folderOf('kwok'), programs: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' }, linkerFlags: [] },
  ];
}

function versionFlags(text: string): readonly string[] {
  const [, major, minor, patch] = KUBERNETES_VERSION.exec(text) ?? [];
  const facts = { gitVersion: `v${major}.${minor}.${patch}`, gitMajor: major, gitMinor: minor };
  return Object.entries(facts).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
}
