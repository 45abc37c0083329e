import { posix } from 'node:path';
import type { ContainerTemplate, HostVolume } from '#definitions';
import type { PodContainer, PodVolume } from '../model/kubernetes.ts';
import { secretName } from '../model/names.ts';
import { AUTHORITIES_VOLUME, type Authorities } from './authorities.ts';
import type { RenderedFile } from './config-maps.ts';
import type { PodInput } from './pod-input.ts';

const PROPAGATION = {
  'from-node': 'HostToContainer',
  both: 'Bidirectional',
} as const satisfies Record<NonNullable<HostVolume['propagation']>, string>;
const PATH_TYPES = {
  folder: 'DirectoryOrCreate',
  'existing-folder': 'Directory',
  file: 'File',
  socket: 'Socket',
  device: 'CharDevice',
} as const satisfies Record<NonNullable<HostVolume['type']>, string>;

/**
 * Volumes of a pod: a ConfigMap for each configuration file of its containers, then the volumes of
 * the app spec. Claims of a StatefulSet are templates instead.
 */
export function renderVolumes(pod: PodInput, specs: readonly ContainerTemplate[]): PodVolume[] {
  const used = new Set(specs.flatMap((spec) => Object.keys(spec.files ?? {})));
  const files = [...pod.files.values()]
    .filter(({ key }) => used.has(key))
    .map((file): PodVolume => ({
      name: volumeOfFile(file),
      configMap: { name: file.object.metadata.name, defaultMode: file.executable ? 0o555 : 0o444 },
    }));
  const volumes = Object.entries(pod.volumes).flatMap(([name, volume]): PodVolume[] => {
    if (volume.ephemeral !== undefined) {
      return [
        {
          name,
          emptyDir: {
            sizeLimit: volume.ephemeral.size,
            ...(volume.ephemeral.memory === true ? { medium: 'Memory' } : {}),
          },
        },
      ];
    }
    if (volume.secret !== undefined)
      return [
        {
          name,
          secret: { secretName: secretName(pod.instance, volume.secret), defaultMode: 0o440 },
        },
      ];
    if (volume.shared !== undefined)
      return [
        { name, persistentVolumeClaim: { claimName: `${pod.instance.name}-${volume.shared}` } },
      ];
    if (volume.host === undefined) return [];
    const { path, type } = volume.host;
    return [
      { name, hostPath: { path, ...(type === undefined ? {} : { type: PATH_TYPES[type] }) } },
    ];
  });
  return [...files, ...volumes];
}

/**
 * Mounts of a container: its configuration files, its volumes and, if requested, the CA
 * certificates.
 */
export function renderMounts(
  pod: PodInput,
  spec: ContainerTemplate,
  authorities: Authorities | undefined,
): PodContainer['volumeMounts'] {
  const files = Object.entries(spec.files ?? {}).map(([file, path]) => {
    const rendered = pod.files.get(file)!;
    const name = volumeOfFile(rendered);
    // A file that is mounted by subPath keeps its content for the life of the pod.
    return rendered.live
      ? { name, mountPath: posix.dirname(path), readOnly: true }
      : { name, mountPath: path, subPath: file, readOnly: true };
  });
  const volumes = Object.entries(spec.mounts ?? {}).map(([volume, mountPath]) => {
    const { secret, host } = pod.volumes[volume]!;
    const propagation =
      host?.propagation === undefined ? {} : { mountPropagation: PROPAGATION[host.propagation] };
    return {
      name: volume,
      mountPath,
      ...(secret !== undefined || host?.readOnly === true ? { readOnly: true } : {}),
      ...propagation,
    };
  });
  const trusted =
    authorities === undefined
      ? []
      : [
          {
            name: AUTHORITIES_VOLUME,
            mountPath: spec.ca!.path,
            subPath: authorities.key,
            readOnly: true,
          },
        ];
  return [...files, ...volumes, ...trusted];
}

function volumeOfFile(file: RenderedFile): string {
  return `file-${file.key.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}
