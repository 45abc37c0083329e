import { allTogether, CcpError, nearest, type Position } from '#core';
import type { Container, ContainerTemplate, HostVolume, Probe, Resources, Volume, Workload } from '#definitions';
import type { KubernetesObject } from '#ports';
import { AUTHORITIES_VOLUME, renderAuthorities } from './authorities.ts';
import type { RenderedFile } from './config-maps.ts';
import { renderProbeCommand, renderProcess } from './env.ts';
import { asKolla, kollaVolume } from './kolla.ts';
import type { Scope } from './facts.ts';
import { secretName } from './names.ts';
import type { OnNodes } from './node-groups.ts';
import type { Instance } from './instances.ts';
import type { PodContainer, PodSpec, PodVolume } from './kubernetes.ts';
import { placement, type Beside, type Spread } from './placement.ts';
import type { SiteInput } from './types.ts';

/** What a pod is rendered from. */
export interface PodInput {
  readonly input: SiteInput;
  /** The app whose image, user, secrets and files the pod has. */
  readonly instance: Instance;
  readonly scope: Scope;
  readonly files: ReadonlyMap<string, RenderedFile>;
  /** Where ConfigMaps are gathered that a container's runtime needs; by name. */
  readonly runtimeFiles: Map<string, KubernetesObject>;
  readonly role: string;
  readonly spread?: Spread;
  readonly beside?: Beside;
  readonly onNodes?: OnNodes | undefined;
  readonly host?: Workload['host'];
  readonly shareProcessNamespace?: Workload['shareProcessNamespace'];
  /** Workload whose pod it is; a pod without is a job's. */
  readonly workload?: string;
  readonly volumes: Readonly<Record<string, Volume>>;
  /** Path of the containers in the app spec. */
  readonly containers: Readonly<
    Record<string, { readonly spec: ContainerTemplate & Partial<Container>; readonly path: readonly string[]; readonly resources?: Resources }>
  >;
}

/** A pod under the restricted profile: numeric user, no capability, read-only root, seccomp, no token, no service variables. Raises `image-missing`, `kolla-command` and what `renderProcess` raises, of all containers together. */
export function renderPod(pod: PodInput): PodSpec {
  const { uid, gid } = pod.instance.spec.user;
  const specs = Object.values(pod.containers).map(({ spec }) => spec);
  const root = specs.some((spec) => spec.security?.root !== undefined || pod.input.site.external?.[spec.image ?? pod.instance.spec.name]?.root !== undefined);
  const containers = allTogether(
    Object.entries(pod.containers).map(
      ([name, of]) =>
        () =>
          renderContainer(pod, name, of),
    ),
  );
  const authorities = specs.some(({ ca }) => ca !== undefined) ? renderAuthorities(pod.input.site) : undefined;
  if (authorities !== undefined) pod.runtimeFiles.set(authorities.object.metadata.name, authorities.object);
  const trusted = authorities === undefined ? [] : [{ name: AUTHORITIES_VOLUME, configMap: { name: authorities.object.metadata.name, defaultMode: 0o444 } }];
  const runtimeVolumes = containers.flatMap(({ container, config }): PodVolume[] =>
    config === undefined ? [] : [{ name: kollaVolume(container.name), configMap: { name: config, defaultMode: 0o444 } }],
  );
  return {
    serviceAccountName: pod.instance.name,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      ...(root ? {} : { runAsNonRoot: true }),
      runAsUser: root ? 0 : uid,
      runAsGroup: root ? 0 : gid,
      fsGroup: gid,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...hostMembers(pod.host),
    ...(pod.shareProcessNamespace === true ? { shareProcessNamespace: true } : {}),
    ...placement(pod.input.site.roles[pod.role] ?? [], pod.spread, pod.beside, pod.onNodes),
    containers: containers.map(({ container }) => container),
    volumes: [...renderVolumes(pod, specs), ...runtimeVolumes, ...trusted],
  };
}

/** Where a value of a container stands: in the app spec, or in the site where that says it. */
type PositionIn = (path: readonly (string | number)[]) => Position;

/** A container as its image's runtime wants it, and the name of the ConfigMap that this takes, where it does. */
function renderContainer(pod: PodInput, name: string, of: PodInput['containers'][string]): { readonly container: PodContainer; readonly config?: string } {
  const image = of.spec.image ?? pod.instance.spec.name;
  const external = pod.input.site.external?.[image];
  const place = pod.workload === undefined ? name : `${pod.workload}.${name}`;
  const command = external?.commands?.[place];
  const spec = command === undefined ? of.spec : { ...of.spec, command };
  const position: PositionIn = ([first = '', ...rest]) =>
    command !== undefined && first === 'command'
      ? pod.input.site.position(['external', image, 'commands', place, ...rest])
      : pod.instance.spec.position([...of.path, first, ...rest]);
  const container = plainContainer(pod, name, { ...of, spec }, position);
  if (external?.runtime !== 'kolla') return { container };
  const kolla = asKolla(pod, image, external, { place, position, spec, container, job: pod.workload === undefined });
  pod.runtimeFiles.set(kolla.config.metadata.name, kolla.config);
  return { container: kolla.container, config: kolla.config.metadata.name };
}

function plainContainer(pod: PodInput, name: string, { spec, path, resources: override }: PodInput['containers'][string], position: PositionIn): PodContainer {
  const authorities = spec.ca === undefined ? undefined : renderAuthorities(pod.input.site);
  const ports = Object.entries(spec.ports ?? {}).map(([port, { port: containerPort }]) => ({ name: port, containerPort }));
  const probe = (kind: 'startup' | 'readiness' | 'liveness'): object => {
    const wanted = spec.probes?.[kind];
    return wanted === undefined
      ? {}
      : { [`${kind}Probe`]: renderProbe(wanted, (command) => renderProbeCommand(command, pod.scope, position(['probes', kind]))) };
  };
  const [image, { env, command }, probes] = allTogether([
    () => imageReference(pod, spec.image ?? pod.instance.spec.name, path),
    () => renderProcess(spec, pod.scope, position),
    () => ({ ...probe('startup'), ...probe('readiness'), ...probe('liveness') }),
  ]);
  return {
    name,
    image,
    env: [...env, ...(authorities === undefined ? [] : [{ name: spec.ca!.env, value: spec.ca!.path }])],
    command,
    ...(ports.length === 0 ? {} : { ports }),
    ...probes,
    ...(spec.drain === undefined ? {} : { lifecycle: { preStop: { sleep: { seconds: spec.drain } } } }),
    resources: { requests: { ...spec.resources.requests, ...override?.requests }, limits: { ...spec.resources.limits, ...override?.limits } },
    securityContext: renderSecurity(spec.security),
    volumeMounts: [
      ...Object.entries(spec.files ?? {}).map(([file, mountPath]) => ({ name: volumeOfFile(pod.files.get(file)!), mountPath, subPath: file, readOnly: true })),
      ...Object.entries(spec.mounts ?? {}).map(([volume, mountPath]) => {
        const { secret, host } = pod.volumes[volume]!;
        const propagation = host?.propagation === undefined ? {} : { mountPropagation: PROPAGATION[host.propagation] };
        return { name: volume, mountPath, ...(secret !== undefined || host?.readOnly === true ? { readOnly: true } : {}), ...propagation };
      }),
      ...(authorities === undefined ? [] : [{ name: AUTHORITIES_VOLUME, mountPath: spec.ca!.path, subPath: authorities.key, readOnly: true }]),
    ],
  };
}

const PROPAGATION = { 'from-node': 'HostToContainer', both: 'Bidirectional' } as const satisfies Record<NonNullable<HostVolume['propagation']>, string>;
const PATH_TYPES = {
  folder: 'DirectoryOrCreate',
  'existing-folder': 'Directory',
  file: 'File',
  socket: 'Socket',
  device: 'CharDevice',
} as const satisfies Record<NonNullable<HostVolume['type']>, string>;

function hostMembers(host: Workload['host']): Pick<PodSpec, 'hostNetwork' | 'hostPID' | 'hostIPC' | 'dnsPolicy'> {
  return {
    ...(host?.network === undefined ? {} : { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }),
    ...(host?.processes === undefined ? {} : { hostPID: true }),
    ...(host?.memory === undefined ? {} : { hostIPC: true }),
  };
}

/** Kubernetes takes neither privileged containers nor SYS_ADMIN together with a ban on escalation. */
function renderSecurity(security: ContainerTemplate['security']): object {
  const add = Object.keys(security?.capabilities ?? {}).sort();
  const privileged = security?.privileged !== undefined;
  const readOnlyRootFilesystem = security?.writableRoot === undefined;
  if (privileged) return { privileged, readOnlyRootFilesystem };
  return {
    allowPrivilegeEscalation: security?.escalation !== undefined || add.includes('SYS_ADMIN'),
    readOnlyRootFilesystem,
    capabilities: { drop: ['ALL'], ...(add.length === 0 ? {} : { add }) },
  };
}

function renderProbe(probe: Probe, resolve: (command: readonly string[]) => string[]): object {
  const action =
    probe.http !== undefined
      ? { httpGet: { path: probe.http.path, port: probe.http.port } }
      : probe.tcp !== undefined
        ? { tcpSocket: { port: probe.tcp.port } }
        : { exec: { command: resolve(probe.exec ?? []) } };
  const { period: periodSeconds = 10, timeout: timeoutSeconds = 5, failures: failureThreshold = 3 } = probe;
  return { ...action, periodSeconds, timeoutSeconds, failureThreshold };
}

function renderVolumes(pod: PodInput, specs: readonly ContainerTemplate[]): PodVolume[] {
  const used = new Set(specs.flatMap((spec) => Object.keys(spec.files ?? {})));
  const files = [...pod.files.values()]
    .filter(({ key }) => used.has(key))
    .map((file): PodVolume => ({
      name: volumeOfFile(file),
      configMap: { name: file.object.metadata.name, defaultMode: file.executable ? 0o555 : 0o444 },
    }));
  const volumes = Object.entries(pod.volumes).flatMap(([name, volume]): PodVolume[] => {
    if (volume.ephemeral !== undefined) {
      return [{ name, emptyDir: { sizeLimit: volume.ephemeral.size, ...(volume.ephemeral.memory === true ? { medium: 'Memory' } : {}) } }];
    }
    if (volume.secret !== undefined) return [{ name, secret: { secretName: secretName(pod.instance, volume.secret), defaultMode: 0o440 } }];
    if (volume.shared !== undefined) return [{ name, persistentVolumeClaim: { claimName: `${pod.instance.name}-${volume.shared}` } }];
    if (volume.host === undefined) return [];
    const { path, type } = volume.host;
    return [{ name, hostPath: { path, ...(type === undefined ? {} : { type: PATH_TYPES[type] }) } }];
  });
  return [...files, ...volumes];
}

function volumeOfFile(file: RenderedFile): string {
  return `file-${file.key.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}

/** `REGISTRY/NAME@DIGEST`, of an image of others where the site names one. Raises `image-missing` where the set has no such image. */
function imageReference(pod: PodInput, name: string, path: readonly string[]): string {
  const { site, imageSet } = pod.input;
  const external = site.external?.[name];
  if (external !== undefined) return external.reference;
  const image = imageSet.images.find((candidate) => candidate.name === name);
  if (image !== undefined) return `${site.registry}/${name}@${image.digest}`;
  const meant = nearest(
    name,
    imageSet.images.map((candidate) => candidate.name),
  );
  throw new CcpError({
    code: 'image-missing',
    message: `"${pod.instance.name}" runs the image "${name}", which the image set does not have`,
    hint: meant === undefined ? `build it: ccp build ${name}` : `did you mean "${meant}"? else build it: ccp build ${name}`,
    at: pod.instance.spec.position(path),
  });
}
