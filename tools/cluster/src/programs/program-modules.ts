import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CcpError } from '#core';

/** A Go module of this repository that pins programs and all their dependencies. */
export interface ProgramModule {
  readonly name: string;
  /** Absolute path. */
  readonly folder: string;
  /** Go package of each program. */
  readonly programs: Readonly<Record<string, string>>;
  readonly linkerFlags: readonly string[];
  /**
   * Folders of modules to keep with the programs: by name, the module's path and the folder in it.
   */
  readonly folders?: Readonly<Record<string, readonly [module: string, folder: string]>>;
}

/** Supported minor versions of Kubernetes; the first is the default. */
export const KUBERNETES_MINORS = ['1.36', '1.35', '1.34'] as const;

const CONTROL_PLANE = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const NODE = ['kubelet', 'kube-proxy'];
const KUBERNETES_VERSION = /\bk8s\.io\/kubernetes v(\d+)\.(\d+)\.(\d+)/;
const folderOf = (name: string) => fileURLToPath(new URL(`../../modules/${name}`, import.meta.url));

/**
 * The modules of a control plane without a node. Throws `cluster-version` if `minor` is not
 * supported.
 */
export function controlPlaneModules(
  minor: string = KUBERNETES_MINORS[0],
): readonly ProgramModule[] {
  if (!KUBERNETES_MINORS.some((each) => each === minor)) {
    throw new CcpError({
      code: 'cluster-version',
      message: `Kubernetes ${minor} is not supported`,
      hint: `use one of: ${KUBERNETES_MINORS.join(', ')}`,
    });
  }
  return [
    {
      name: 'etcd',
      folder: folderOf('etcd'),
      programs: { etcd: 'go.etcd.io/etcd/server/v3' },
      linkerFlags: [],
    },
    kubernetesModule(`kubernetes-${minor}`, minor, CONTROL_PLANE),
  ];
}

/** The modules of the programs on a node, for the newest minor version. */
export function nodeModules(): readonly ProgramModule[] {
  const [minor] = KUBERNETES_MINORS;
  return [
    kubernetesModule(`node-${minor}`, minor, NODE),
    { name: 'dns', folder: folderOf('dns'), programs: { dns: '.' }, linkerFlags: [] },
    { name: 'pause', folder: folderOf('pause'), programs: { pause: '.' }, linkerFlags: [] },
  ];
}

function kubernetesModule(name: string, minor: string, programs: readonly string[]): ProgramModule {
  const folder = folderOf(`kubernetes-${minor}`);
  return {
    name,
    folder,
    programs: Object.fromEntries(
      programs.map((program) => [program, `k8s.io/kubernetes/cmd/${program}`]),
    ),
    linkerFlags: versionFlags(readFileSync(join(folder, 'go.mod'), 'utf8')),
  };
}

function versionFlags(text: string): readonly string[] {
  const [, major, minor, patch] = KUBERNETES_VERSION.exec(text) ?? [];
  const variables = { gitVersion: `v${major}.${minor}.${patch}`, gitMajor: major, gitMinor: minor };
  return Object.entries(variables).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
}
