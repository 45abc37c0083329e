import type { ContainerTemplate, ProbeSpec, Workload } from '#definitions';
import { PROBE_KINDS, type BoundContainer } from '../model/bound.ts';
import type { PodContainer, PodSpec, PodVolume } from '../model/kubernetes.ts';
import { AUTHORITIES_VOLUME, renderAuthorities } from './authorities.ts';
import { asKolla, kollaConfig, kollaVolume } from './kolla.ts';
import { placement } from './placement.ts';
import type { PodInput } from './pod-input.ts';
import { renderMounts, renderVolumes } from './pod-volumes.ts';

/**
 * Renders a pod for the restricted profile: numeric user, no capability, read-only root, seccomp,
 * no token and no service variables.
 */
export function renderPod(pod: PodInput): PodSpec {
  const { uid, gid } = pod.instance.spec.user;
  const bound = Object.entries(pod.containers);
  const specs = bound.map(([, { spec }]) => spec);
  const root = bound.some(
    ([, { spec, external }]) =>
      spec.security?.root !== undefined || external?.image.root !== undefined,
  );
  const authorities = specs.some(({ ca }) => ca !== undefined)
    ? renderAuthorities(pod.site)
    : undefined;
  const trusted =
    authorities === undefined
      ? []
      : [
          {
            name: AUTHORITIES_VOLUME,
            configMap: { name: authorities.object.metadata.name, defaultMode: 0o444 },
          },
        ];
  const runtimeVolumes = bound.flatMap(([name, container]): PodVolume[] => {
    const config = kollaConfig(pod, container);
    return config === undefined
      ? []
      : [
          {
            name: kollaVolume(name),
            configMap: { name: config.metadata.name, defaultMode: 0o444 },
          },
        ];
  });
  return {
    serviceAccountName: pod.account ?? pod.instance.name,
    automountServiceAccountToken: pod.account !== undefined,
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
    ...placement(pod.site.roles[pod.role] ?? [], pod.spread, pod.sameNode, pod.onNodes),
    containers: bound.map(([name, of]) => renderContainer(pod, name, of)),
    volumes: [...renderVolumes(pod, specs), ...runtimeVolumes, ...trusted],
  };
}

/** Renders a container as the runtime of its image needs it. */
function renderContainer(pod: PodInput, name: string, of: BoundContainer): PodContainer {
  const { spec, image, env, command } = of;
  const authorities = spec.ca === undefined ? undefined : renderAuthorities(pod.site);
  const ports = Object.entries(spec.ports ?? {}).map(([port, { port: containerPort }]) => ({
    name: port,
    containerPort,
  }));
  const container: PodContainer = {
    name,
    image,
    env: [
      ...env,
      ...(authorities === undefined ? [] : [{ name: spec.ca!.env, value: spec.ca!.path }]),
    ],
    command,
    ...(ports.length === 0 ? {} : { ports }),
    ...probesOf(of),
    ...(spec.drain === undefined
      ? {}
      : { lifecycle: { preStop: { sleep: { seconds: spec.drain } } } }),
    resources: {
      requests: { ...spec.resources.requests, ...of.resources?.requests },
      limits: { ...spec.resources.limits, ...of.resources?.limits },
    },
    securityContext: renderSecurity(spec.security),
    volumeMounts: renderMounts(pod, spec, authorities),
  };
  return asKolla(pod, of, container);
}

function probesOf({
  spec: { probes = {} },
  probes: commands,
}: BoundContainer): Pick<PodContainer, 'startupProbe' | 'readinessProbe' | 'livenessProbe'> {
  return Object.fromEntries(
    PROBE_KINDS.flatMap((kind) => {
      const probe = probes[kind];
      return probe === undefined ? [] : [[`${kind}Probe`, renderProbe(probe, commands[kind])]];
    }),
  );
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

/**
 * Kubernetes takes neither privileged containers nor SYS_ADMIN together with a ban on escalation.
 */
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

function renderProbe(probe: ProbeSpec, command: readonly string[] = []): object {
  const {
    period: periodSeconds = 10,
    timeout: timeoutSeconds = 5,
    failures: failureThreshold = 3,
  } = probe;
  return { ...renderCheck(probe, command), periodSeconds, timeoutSeconds, failureThreshold };
}

function renderCheck({ http, tcp }: ProbeSpec, command: readonly string[]): object {
  if (http !== undefined) return { httpGet: { path: http.path, port: http.port } };
  if (tcp !== undefined) return { tcpSocket: { port: tcp.port } };
  return { exec: { command } };
}
