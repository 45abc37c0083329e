import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PodVolume, RenderedPod } from '#deploy';
import type { ContainerSpec, KubernetesObject } from '#ports';
import type { PodPlace } from './pod-runner.ts';
import type { SecretsApi } from './secrets-api.ts';

type Bind = NonNullable<ContainerSpec['binds']>[number];

/** What stands in for the cluster's volumes. */
export interface VolumePlaces {
  /** Where ConfigMaps, Secrets and claims are made as files. */
  readonly folder: string;
  /** Of the site: its ConfigMaps. */
  readonly objects: readonly KubernetesObject[];
  readonly secrets: Pick<SecretsApi, 'read'>;
  /** Where a path of the node lies on this machine. */
  readonly nodePath: (path: string) => string;
}

/** The mounts of a pod's container, made where it runs: its volumes, the names of all pods and what it shares. Fails for a volume of another kind. */
export function mountsOf(rendered: RenderedPod, place: PodPlace, places: VolumePlaces): { readonly binds: readonly Bind[]; readonly tmpfs: readonly string[] } {
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
    else binds.push({ ...sourceOf(rendered, place, { name, volume, subPath }, places), target: mountPath });
  }
  return { binds, tmpfs };
}

interface Mount {
  readonly name: string;
  /** None where it is a claim of the pod's own. */
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
  const { runAsUser, runAsGroup } = pod.securityContext as { readonly runAsUser: number; readonly runAsGroup: number };
  if (configMap !== undefined) {
    const map = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMap.name)!;
    const files = writeAll(join(folder, configMap.name), map['data'] as Record<string, string>, configMap.defaultMode);
    return { source: subPath === undefined ? files : join(files, subPath), readOnly: true };
  }
  if (secret !== undefined) {
    const files = writeAll(join(folder, secret.secretName), secrets.read(secret.secretName), secret.defaultMode, runAsGroup);
    return { source: files, readOnly: true };
  }
  if (hostPath !== undefined) {
    const onNode = place.shared.includes(hostPath.path) ? hostPath.path : nodePath(hostPath.path);
    mkdirSync(onNode, { recursive: true });
    return { source: onNode, readOnly: false };
  }
  if (!claims.includes(name)) throw new Error(`the volume "${name}" of ${object.metadata.name} is of a kind that is not run here`);
  const claim = join(folder, `${place.pod}-${name}`);
  mkdirSync(claim, { recursive: true });
  chownSync(claim, runAsUser, runAsGroup);
  return { source: claim, readOnly: false };
}

/** Writes a file for pods, in place of one that is there, and gives its path back. Its group is ours unless one is given. */
export function write(file: string, text: string, mode: number, group?: number): string {
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  if (group !== undefined) chownSync(file, 0, group);
  return file;
}

function writeAll(folder: string, files: Readonly<Record<string, string>>, mode: number, group?: number): string {
  for (const [key, text] of Object.entries(files)) write(join(folder, key), text, mode, group);
  return folder;
}
