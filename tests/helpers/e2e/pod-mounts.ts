import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ContainerSpec, KubernetesObject } from '#ports';
import type { PodVolume, RenderedPod } from '#site';
import type { PodPlace } from './pod-runner.ts';
import type { SecretsApi } from './secrets-api.ts';

type Bind = NonNullable<ContainerSpec['binds']>[number];

/** Folders in place of the cluster's volumes. */
export interface VolumePlaces {
  /** Folder for the files of ConfigMaps, Secrets and claims. */
  readonly folder: string;
  /** Objects of the site, including its ConfigMaps. */
  readonly objects: readonly KubernetesObject[];
  readonly secrets: Pick<SecretsApi, 'read'>;
  /** Path on this machine for a path on the node. */
  readonly nodePath: (path: string) => string;
}

/**
 * Creates the mounts of a pod's container: its volumes, the names of all pods and shared paths.
 * Throws for other volume types.
 */
export function mountsOf(
  rendered: RenderedPod,
  place: PodPlace,
  places: VolumePlaces,
): { readonly binds: readonly Bind[]; readonly tmpfs: readonly string[] } {
  const { pod } = rendered;
  const binds: Bind[] = [
    { source: place.hosts, target: '/etc/hosts', readOnly: true },
    ...place.shared
      .filter((path) => pod.volumes.every(({ hostPath }) => hostPath?.path !== path))
      .map((path) => ({ source: path, target: path, readOnly: false })),
  ];
  const tmpfs: string[] = [];
  for (const { name, mountPath, subPath } of pod.containers[0]!.volumeMounts) {
    const volume = pod.volumes.find((each) => each.name === name);
    if (volume?.emptyDir !== undefined) tmpfs.push(mountPath);
    else
      binds.push({
        ...sourceOf(rendered, place, { name, volume, subPath }, places),
        target: mountPath,
      });
  }
  return { binds, tmpfs };
}

interface Mount {
  readonly name: string;
  /** Undefined for a claim from a volume claim template. */
  readonly volume: PodVolume | undefined;
  readonly subPath: string | undefined;
}

function sourceOf(
  { object, pod, claims }: RenderedPod,
  place: PodPlace,
  { name, volume, subPath }: Mount,
  { folder, objects, secrets, nodePath }: VolumePlaces,
): Pick<Bind, 'source' | 'readOnly'> {
  const { configMap, hostPath, secret } = volume ?? {};
  const { runAsUser, runAsGroup } = pod.securityContext as {
    readonly runAsUser: number;
    readonly runAsGroup: number;
  };
  if (configMap !== undefined) {
    const map = objects.find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMap.name,
    )!;
    const files = writeAll(
      join(folder, configMap.name),
      map['data'] as Record<string, string>,
      configMap.defaultMode,
    );
    return { source: subPath === undefined ? files : join(files, subPath), readOnly: true };
  }
  if (secret !== undefined) {
    const files = writeAll(
      join(folder, secret.secretName),
      secrets.read(secret.secretName),
      secret.defaultMode,
      runAsGroup,
    );
    return { source: files, readOnly: true };
  }
  if (hostPath !== undefined) {
    const onNode = place.shared.includes(hostPath.path) ? hostPath.path : nodePath(hostPath.path);
    mkdirSync(onNode, { recursive: true });
    return { source: onNode, readOnly: false };
  }
  if (!claims.includes(name))
    throw new Error(
      `the volume "${name}" of ${object.metadata.name} is of a kind that is not run here`,
    );
  const claim = claimPath(folder, place.pod, name);
  mkdirSync(claim, { recursive: true });
  chownSync(claim, runAsUser, runAsGroup);
  return { source: claim, readOnly: false };
}

/** The folder in place of a pod's claim. */
export function claimPath(folder: string, pod: string, name: string): string {
  return join(folder, `${pod}-${name}`);
}

/** Writes or replaces a file for pods and returns its path. Default group: that of this process. */
export function write(file: string, text: string, mode: number, group?: number): string {
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  if (group !== undefined) chownSync(file, 0, group);
  return file;
}

function writeAll(
  folder: string,
  files: Readonly<Record<string, string>>,
  mode: number,
  group?: number,
): string {
  for (const [key, text] of Object.entries(files)) write(join(folder, key), text, mode, group);
  return folder;
}
