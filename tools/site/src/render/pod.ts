import { collectErrors, CcpError, nearest, type Position } from '#core';
import type { ContainerTemplate, Probe, Workload } from '#definitions';
import type { PodContainer, PodSpec, PodVolume } from '../model/kubernetes.ts';
import { AUTHORITIES_VOLUME, renderAuthorities } from './authorities.ts';
import { renderProbeCommand, renderProcess } from './env.ts';
import { asKolla, kollaVolume } from './kolla.ts';
import { placement } from './placement.ts';
import type { PodInput } from './pod-input.ts';
import { renderMounts, renderVolumes } from './pod-volumes.ts';

/** A pod under the restricted profile: numeric user, no capability, read-only root, seccomp, no token, no service variables. Raises `image-missing`, `kolla-command` and what `renderProcess` raises, of all containers together. */
export function renderPod(pod: PodInput): PodSpec {
  const { uid, gid } = pod.instance.spec.user;
  const specs = Object.values(pod.containers).map(({ spec }) => spec);
  const root = specs.some(
    (spec) =>
      spec.security?.root !== undefined ||
      pod.input.site.external?.[spec.image ?? pod.instance.spec.name]?.root !== undefined,
  );
  const containers = collectErrors(
    Object.entries(pod.containers).map(
      ([name, of]) =>
        () =>
          renderContainer(pod, name, of),
    ),
  );
  const authorities = specs.some(({ ca }) => ca !== undefined)
    ? renderAuthorities(pod.input.site)
    : undefined;
  if (authorities !== undefined)
    pod.runtimeFiles.set(authorities.object.metadata.name, authorities.object);
  const trusted =
    authorities === undefined
      ? []
      : [
          {
            name: AUTHORITIES_VOLUME,
            configMap: { name: authorities.object.metadata.name, defaultMode: 0o444 },
          },
        ];
  const runtimeVolumes = containers.flatMap(({ container, config }): PodVolume[] =>
    config === undefined
      ? []
      : [{ name: kollaVolume(container.name), configMap: { name: config, defaultMode: 0o444 } }],
  );
  return {
    serviceAccountName: pod.instance.name,
    automountServiceAccountToken: pod.account === true,
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
function renderContainer(
  pod: PodInput,
  name: string,
  of: PodInput['containers'][string],
): { readonly container: PodContainer; readonly config?: string } {
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
  const kolla = asKolla(pod, image, external, {
    place,
    position,
    spec,
    container,
    job: pod.workload === undefined,
  });
  pod.runtimeFiles.set(kolla.config.metadata.name, kolla.config);
  return { container: kolla.container, config: kolla.config.metadata.name };
}

function plainContainer(
  pod: PodInput,
  name: string,
  { spec, path, resources: override }: PodInput['containers'][string],
  position: PositionIn,
): PodContainer {
  const authorities = spec.ca === undefined ? undefined : renderAuthorities(pod.input.site);
  const ports = Object.entries(spec.ports ?? {}).map(([port, { port: containerPort }]) => ({
    name: port,
    containerPort,
  }));
  const probe = (kind: 'startup' | 'readiness' | 'liveness'): object => {
    const wanted = spec.probes?.[kind];
    return wanted === undefined
      ? {}
      : {
          [`${kind}Probe`]: renderProbe(wanted, (command) =>
            renderProbeCommand(command, pod.scope, position(['probes', kind])),
          ),
        };
  };
  const [image, { env, command }, probes] = collectErrors([
    () => imageReference(pod, spec.image ?? pod.instance.spec.name, path),
    () => renderProcess(spec, pod.scope, position),
    () => ({ ...probe('startup'), ...probe('readiness'), ...probe('liveness') }),
  ]);
  return {
    name,
    image,
    env: [
      ...env,
      ...(authorities === undefined ? [] : [{ name: spec.ca!.env, value: spec.ca!.path }]),
    ],
    command,
    ...(ports.length === 0 ? {} : { ports }),
    ...probes,
    ...(spec.drain === undefined
      ? {}
      : { lifecycle: { preStop: { sleep: { seconds: spec.drain } } } }),
    resources: {
      requests: { ...spec.resources.requests, ...override?.requests },
      limits: { ...spec.resources.limits, ...override?.limits },
    },
    securityContext: renderSecurity(spec.security),
    volumeMounts: renderMounts(pod, spec, authorities),
  };
}

function hostMembers(
  host: Workload['host'],
): Pick<PodSpec, 'hostNetwork' | 'hostPID' | 'hostIPC' | 'dnsPolicy'> {
  return {
    ...(host?.network === undefined
      ? {}
      : { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }),
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
  const {
    period: periodSeconds = 10,
    timeout: timeoutSeconds = 5,
    failures: failureThreshold = 3,
  } = probe;
  return { ...renderCheck(probe, resolve), periodSeconds, timeoutSeconds, failureThreshold };
}

function renderCheck(
  { http, tcp, exec = [] }: Probe,
  resolve: (command: readonly string[]) => string[],
): object {
  if (http !== undefined) return { httpGet: { path: http.path, port: http.port } };
  if (tcp !== undefined) return { tcpSocket: { port: tcp.port } };
  return { exec: { command: resolve(exec) } };
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
    hint:
      meant === undefined
        ? `build it: ccp build ${name}`
        : `did you mean "${meant}"? else build it: ccp build ${name}`,
    at: pod.instance.spec.position(path),
  });
}
