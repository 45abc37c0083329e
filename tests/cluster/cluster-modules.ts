import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A Go module of ours that names programs and every version below them. */
export interface ProgramModule {
  readonly name: string;
  readonly folder: string;
  /** Program by the Go package that it is made of. */
  readonly programs: Readonly<Record<string, string>>;
  readonly linkerFlags: readonly string[];
}

/** Minor versions of Kubernetes that a test cluster can be; the first is meant where none is named. */
export const KUBERNETES_MINORS = ['1.36', '1.35', '1.34'] as const;

const KUBERNETES_VERSION = /\bk8s\.io\/kubernetes v(\d+)\.(\d+)\.(\d+)/;
const folderOf = (name: string) => fileURLToPath(new URL(`modules/${name}`, import.meta.url));

/** The modules that a control plane without a node is built from. Raises where `minor` is none of KUBERNETES_MINORS. */
export function clusterModules(minor: string = KUBERNETES_MINORS[0]): readonly ProgramModule[] {
  if (!KUBERNETES_MINORS.some((each) => each === minor)) throw new Error(`there is no Kubernetes ${minor} here; there are: ${KUBERNETES_MINORS.join(', ')}`);
  const kubernetes = { name: `kubernetes-${minor}`, folder: folderOf(`kubernetes-${minor}`) };
  return [
    { name: 'etcd', folder: folderOf('etcd'), programs: { etcd: 'go.etcd.io/etcd/server/v3' }, linkerFlags: [] },
    {
      ...kubernetes,
      programs: Object.fromEntries(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((name) => [name, `k8s.io/kubernetes/cmd/${name}`])),
      linkerFlags: versionFlags(readFileSync(join(kubernetes.folder, 'go.mod'), 'utf8')),
    },
    { name: 'kwok', folder: folderOf('kwok'), programs: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' }, linkerFlags: [] },
  ];
}

function versionFlags(text: string): readonly string[] {
  const [, major, minor, patch] = KUBERNETES_VERSION.exec(text) ?? [];
  const facts = { gitVersion: `v${major}.${minor}.${patch}`, gitMajor: major, gitMinor: minor };
  return Object.entries(facts).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
}
