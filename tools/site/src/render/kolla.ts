import { CcpError, type Position } from '#core';
import type { ContainerTemplate, ExternalImage } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { EnvVar, PodContainer } from '../model/kubernetes.ts';
import { contentHash, podLabels, siteLabels } from '../model/labels.ts';
import type { PodInput } from './pod-input.ts';

/** Where Kolla's images look for what they are to be: https://docs.openstack.org/kolla/latest/admin/kolla_api.html */
const FOLDER = '/var/lib/kolla/config_files';
/** kolla_start becomes root by sudo to copy files and give them away; the service itself runs as its user again. */
const CAPABILITIES = ['AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];

/** A container as our own images are started, with what it was rendered from. */
export interface PlainContainer {
  /** `WORKLOAD.CONTAINER`, or the name of a job, action or check. */
  readonly place: string;
  position(path: readonly (string | number)[]): Position;
  readonly spec: ContainerTemplate;
  readonly container: PodContainer;
  readonly job: boolean;
}

/**
 * The same container under Kolla's contract, and the ConfigMap with its config.json: kolla_start runs the command that config.json names, after it has copied the files to
 * where they belong. Raises `kolla-command` for a command that cannot be written there: Kolla splits it at blanks, and nobody
 * expands what only the pod knows.
 */
export function asKolla(
  pod: PodInput,
  image: string,
  external: ExternalImage,
  { place, position, spec, container, job }: PlainContainer,
): { readonly container: PodContainer; readonly config: KubernetesObject } {
  const bootstrap = external.bootstrap?.[place];
  const owner = external.user ?? image;
  const files = Object.entries(spec.files ?? {}).map(([file, dest]) => ({
    source: `${FOLDER}/${file}`,
    dest,
    owner,
    perm: pod.files.get(file)!.executable ? '0700' : '0600',
  }));
  const config = {
    command: commandText(position(['command']), container.command),
    config_files: files,
  };
  // A job of ours brings its own command; what the image does by itself before a service it does only where the site wants it.
  const own = bootstrap ?? (job ? { KOLLA_SKIP_EXTEND_START: 'true' } : {});
  const env: EnvVar[] = Object.entries({ KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS', ...own }).map(
    ([name, value]) => ({ name, value }),
  );
  const destinations = new Set(files.map(({ dest }) => dest));
  const mounts = container.volumeMounts.map((mount) =>
    mount.subPath !== undefined && destinations.has(mount.mountPath)
      ? { ...mount, mountPath: `${FOLDER}/${mount.subPath}` }
      : mount,
  );
  const changed: PodContainer = {
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
  return { container: changed, config: configMapOf(pod, place, config) };
}

/** Volume with the config.json of a container. */
export function kollaVolume(container: string): string {
  return `kolla-${container}`;
}

function configMapOf(
  { input: { site }, instance }: PodInput,
  place: string,
  config: object,
): KubernetesObject {
  const data = { 'config.json': `${JSON.stringify(config, undefined, 2)}\n` };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${instance.name}-${place.replace('.', '-')}-kolla-${contentHash(data)}`,
      namespace: site.namespace,
      labels: { ...siteLabels(site), ...podLabels(instance, 'config') },
    },
    immutable: true,
    data,
  };
}

function commandText(at: Position, command: readonly string[]): string {
  const unfit = command.find((word) => /[\s*?[\]\\]|\$\(/.test(word) || word === '');
  if (unfit === undefined) return command.map((word) => word.replaceAll('$$', '$')).join(' ');
  throw new CcpError({
    code: 'kolla-command',
    message: `${JSON.stringify(unfit)} cannot stand in a command of a Kolla image, which is split at blanks and expanded by nobody`,
    hint: 'name another command in the site: external.IMAGE.commands',
    at,
  });
}
