import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  ContainerResult,
  ContainerRunner,
  ContainerSpec,
  KubernetesObject,
  RunningContainer,
} from '#ports';
import { podsOf, type EnvVar, type PodContainer, type RenderedPod } from '#site';
import { claimPath, mountsOf, write } from './pod-mounts.ts';
import { awaitProbe, type RenderedProbe } from './await-probe.ts';
import { startSecretsApi, type SecretsApi } from './secrets-api.ts';

/** Network and files of a pod. */
export interface PodPlace {
  readonly pod: string;
  readonly address: string;
  /** Value of `network` in a ContainerSpec. */
  readonly network: string;
  /** Hosts file with the names of all pods. */
  readonly hosts: string;
  /** Paths that are shared with this machine; other paths of the node are folders of the test. */
  readonly shared: readonly string[];
}

/**
 * Runs rendered pods on an engine: the first replica of each, in one network with only loopback, or
 * in the given place.
 */
export interface PodRunner {
  /** Value of `network` in a ContainerSpec to join the pods' network. */
  readonly network: string;
  readonly secrets: Pick<SecretsApi, 'read' | 'names'>;
  /** Path on this machine for a path on the node. */
  readonly nodePath: (path: string) => string;
  /** The folder in place of the pod's claim `name`. */
  claimPath(pod: string, name: string): string;
  /**
   * Starts a workload's pod and waits until its startup and readiness probes succeed. Throws with
   * its log otherwise.
   */
  start(object: KubernetesObject, place?: Partial<PodPlace>): Promise<RunningContainer>;
  /** Runs a Job's pod until it completes. Throws with its output if it fails. */
  finish(object: KubernetesObject, place?: Partial<PodPlace>): Promise<ContainerResult>;
  /** Runs a command in the pods' network. */
  exec(
    image: string,
    command: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<ContainerResult>;
  close(): Promise<void>;
}

/** Name of the node. */
export const NODE = 'node-0';
const JOB_MS = 300_000;
/**
 * Capabilities of a privileged pod. They are listed because an engine cannot start a privileged
 * container on a machine that has no full set.
 */
const PRIVILEGED = [
  ...'CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL MKNOD NET_ADMIN'.split(' '),
  ...'NET_BIND_SERVICE NET_RAW SETGID SETPCAP SETUID SYS_ADMIN SYS_CHROOT SYS_NICE SYS_PTRACE'.split(
    ' ',
  ),
];
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Opens a runner for the objects of one site. Services, pods and public hosts resolve to loopback.
 * `apiImage` contains Python with cryptography.
 */
export async function openPodRunner(
  runner: ContainerRunner,
  objects: readonly KubernetesObject[],
  apiImage: string,
): Promise<PodRunner> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-pods-'));
  chmodSync(folder, 0o755);
  const hosts = write(join(folder, 'hosts'), hostsFile(objects), 0o644);
  const started = [
    await runner.start({
      image: apiImage,
      entrypoint: ['sleep', 'infinity'],
      command: [],
      network: 'none',
    }),
  ];
  const network = `container:${started[0]!.id}`;
  const api = await startSecretsApi(runner, apiImage, network, join(folder, 'account'));
  started.push(api.container);

  const nodePath = (path: string): string => join(folder, 'node', path);

  const specOf = (
    rendered: RenderedPod,
    given: Partial<PodPlace> = {},
  ): { container: PodContainer; spec: ContainerSpec } => {
    const { object, pod } = rendered;
    const place: PodPlace = {
      pod: `${object.metadata.name}-0`,
      address: '127.0.0.1',
      network,
      hosts,
      shared: [],
      ...given,
    };
    const container = pod.containers[0]!;
    const { runAsUser, runAsGroup } = pod.securityContext as {
      runAsUser: number;
      runAsGroup: number;
    };
    const { readOnlyRootFilesystem, privileged, capabilities } = container.securityContext as {
      readOnlyRootFilesystem: boolean;
      privileged?: boolean;
      capabilities?: { add?: string[] };
    };
    const { binds, tmpfs } = mountsOf(rendered, place, { folder, objects, secrets: api, nodePath });
    // Only Jobs use the fake API server, to create Secrets.
    const calls = pod.automountServiceAccountToken && object.kind === 'Job';
    const account = calls ? [{ source: api.account, target: ACCOUNT, readOnly: true }] : [];
    const env = {
      ...(calls ? api.env : {}),
      ...environment(container.env, api, place),
    };
    return {
      container,
      spec: {
        image: container.image,
        entrypoint: container.command.map((word) => expand(word, env)),
        command: [],
        env,
        // With a group, an engine leaves out the user's other groups, which a kubelet adds. Kolla's
        // users may run its scripts as members of the group kolla.
        user: container.command.includes('kolla_start')
          ? String(runAsUser)
          : `${runAsUser}:${runAsGroup}`,
        network: place.network,
        binds: [...binds, ...account],
        tmpfs,
        readOnlyRoot: readOnlyRootFilesystem,
        capDrop: ['ALL'],
        capAdd: privileged === true ? PRIVILEGED : (capabilities?.add ?? []),
        writableProc: privileged === true,
        init: pod.shareProcessNamespace === true,
      },
    };
  };
  const podOf = (object: KubernetesObject): RenderedPod => podsOf([object])[0]!;

  return {
    network,
    secrets: api,
    nodePath,
    claimPath: (pod, name) => claimPath(folder, pod, name),
    async start(object, place) {
      const { container, spec } = specOf(podOf(object), place);
      const running = await runner.start(spec);
      started.push(running);
      for (const probe of [container.startupProbe, container.readinessProbe]) {
        if (probe !== undefined)
          await awaitProbe(running, probe as RenderedProbe, container, object.metadata.name);
      }
      return running;
    },
    async finish(object, place) {
      const result = await runner.run(specOf(podOf(object), place).spec, { timeoutMs: JOB_MS });
      if (result.exitCode !== 0)
        throw new Error(
          `${object.metadata.name} ended with ${result.exitCode}:\n${result.stdout}${result.stderr}`,
        );
      return result;
    },
    exec: (image, command, env) =>
      runner.run(
        {
          image,
          entrypoint: command,
          command: [],
          env,
          network,
          binds: [{ source: hosts, target: '/etc/hosts', readOnly: true }],
        },
        { timeoutMs: JOB_MS },
      ),
    async close() {
      for (const container of started.reverse()) await container.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function environment(
  env: readonly EnvVar[],
  secrets: Pick<SecretsApi, 'read'>,
  { pod, address }: PodPlace,
): Record<string, string> {
  const values: Record<string, string> = {};
  const fields: Record<string, string> = {
    'metadata.name': pod,
    'spec.nodeName': NODE,
    'status.hostIP': address,
    'status.podIP': address,
  };
  for (const variable of env) {
    if ('value' in variable) values[variable.name] = expand(variable.value, values);
    else if ('fieldRef' in variable.valueFrom)
      values[variable.name] = fields[variable.valueFrom.fieldRef.fieldPath]!;
    else
      values[variable.name] = secrets.read(variable.valueFrom.secretKeyRef.name)[
        variable.valueFrom.secretKeyRef.key
      ]!;
  }
  return values;
}

/**
 * Kubernetes' variable expansion: `$(NAME)` of earlier variables, `$$` for `$`; unknown names are
 * unchanged.
 */
function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) =>
    name === undefined ? '$' : (env[name] ?? whole),
  );
}

function hostsFile(objects: readonly KubernetesObject[]): string {
  const services = objects
    .filter(({ kind }) => kind === 'Service')
    .map(({ metadata }) => `${metadata.name}.${metadata.namespace}.svc.cluster.local`);
  const pods = objects
    .filter(({ kind }) => kind === 'StatefulSet')
    .map(
      ({ metadata }) =>
        `${metadata.name}-0.${metadata.name}-peers.${metadata.namespace}.svc.cluster.local`,
    );
  const rules = objects
    .filter(({ kind }) => kind === 'Ingress')
    .flatMap(({ spec }) => (spec as { rules: readonly { host: string }[] }).rules);
  return ['localhost', ...services, ...pods, ...rules.map(({ host }) => host)]
    .map((name) => `127.0.0.1 ${name}\n`)
    .join('');
}
