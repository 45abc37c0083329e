import type { KubernetesObject } from '#ports';
import type { BoundContainer } from '../model/bound.ts';
import type { EnvVar, PodContainer } from '../model/kubernetes.ts';
import { contentHash, podLabels, siteLabels } from '../model/labels.ts';
import type { PodInput } from './pod-input.ts';

/** Input folder of Kolla images: https://docs.openstack.org/kolla/latest/admin/kolla_api.html */
const FOLDER = '/var/lib/kolla/config_files';
/** kolla_start uses sudo to copy files and change their owner. The service runs as its user. */
const CAPABILITIES = ['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];

/** Pod of a container. */
type PodOf = Pick<PodInput, 'site' | 'instance' | 'workload' | 'files'>;

/**
 * The same container for the runtime of a Kolla image: kolla_start copies the files to their paths
 * and runs the command in config.json. Other containers are returned unchanged.
 */
export function asKolla(
  pod: PodOf,
  { spec, external }: BoundContainer,
  container: PodContainer,
): PodContainer {
  if (external?.image.runtime !== 'kolla') return container;
  const bootstrap = external.image.bootstrap?.[external.place];
  // Jobs have their own command; the image's own start-up runs only if the site asks for it.
  const own = bootstrap ?? (pod.workload === undefined ? { KOLLA_SKIP_EXTEND_START: 'true' } : {});
  const env: EnvVar[] = Object.entries({ KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS', ...own }).map(
    ([name, value]) => ({ name, value }),
  );
  const destinations = new Set(Object.values(spec.files ?? {}));
  const mounts = container.volumeMounts.map((mount) =>
    mount.subPath !== undefined && destinations.has(mount.mountPath)
      ? { ...mount, mountPath: `${FOLDER}/${mount.subPath}` }
      : mount,
  );
  return {
    ...container,
    command: ['dumb-init', '--single-child', '--', 'kolla_start'],
    env: [...container.env, ...env],
    securityContext: {
      allowPrivilegeEscalation: true,
      readOnlyRootFilesystem: false,
      capabilities: {
        drop: ['ALL'],
        add: [
          ...new Set([...CAPABILITIES, ...Object.keys(spec.security?.capabilities ?? {})]),
        ].sort(),
      },
    },
    volumeMounts: [
      {
        name: kollaVolume(container.name),
        mountPath: `${FOLDER}/config.json`,
        subPath: 'config.json',
        readOnly: true,
      },
      ...mounts,
    ],
  };
}

/** Volume with the config.json of a container. */
export function kollaVolume(container: string): string {
  return `kolla-${container}`;
}

/** The ConfigMap with the config.json of a Kolla container; `undefined` for other containers. */
export function kollaConfig(
  { site, instance, files }: PodOf,
  { spec, external, command }: BoundContainer,
): KubernetesObject | undefined {
  if (external?.image.runtime !== 'kolla') return undefined;
  const config = {
    command: command.map((word) => word.replaceAll('$$', '$')).join(' '),
    // A live file stays at its mount: a copy would keep its content.
    config_files: Object.entries(spec.files ?? {})
      .filter(([file]) => !files.get(file)!.live)
      .map(([file, dest]) => ({
        source: `${FOLDER}/${file}`,
        dest,
        owner: external.image.user ?? external.name,
        perm: files.get(file)!.executable ? '0700' : '0600',
      })),
  };
  const data = { 'config.json': `${JSON.stringify(config, undefined, 2)}\n` };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${instance.name}-${external.place.replace('.', '-')}-kolla-${contentHash(data)}`,
      namespace: site.namespace,
      labels: { ...siteLabels(site), ...podLabels(instance, 'config') },
    },
    immutable: true,
    data,
  };
}
