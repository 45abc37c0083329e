import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { podsOf, type EnvVar, type PodContainer, type RenderedPod } from '#deploy';
import type { ContainerResult, ContainerRunner, ContainerSpec, KubernetesObject, RunningContainer } from '#ports';

/** Secret -> key -> value. */
export type SecretValues = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Runs rendered pods, first replica only, on an engine: all of them in one network that has loopback and nothing else. */
export interface PodRunner {
  /** Starts a workload's pod and waits until its startup and readiness probes hold; raises with its log where they never do. */
  start(object: KubernetesObject): Promise<RunningContainer>;
  /** Runs a Job's pod to its end; raises with its log where it fails. */
  finish(object: KubernetesObject): Promise<ContainerResult>;
  /** Runs a command in the pods' network, in the image of a started pod. */
  exec(command: readonly string[], env: Readonly<Record<string, string>>, image: string): Promise<ContainerResult>;
  close(): Promise<void>;
}

const JOB_MS = 300_000;

/** `objects` are those of one site; names of its Services and pods resolve to loopback. */
export async function openPodRunner(runner: ContainerRunner, objects: readonly KubernetesObject[], secrets: SecretValues): Promise<PodRunner> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-pods-'));
  const files = new Map<string, string>();
  const write = (path: string, text: string, mode: number, owner?: number): string => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
    if (owner !== undefined) chownSync(file, owner, owner);
    return file;
  };
  chmodSync(folder, 0o755);
  const hosts = write('hosts', hostsFile(objects), 0o644);
  const started: RunningContainer[] = [];
  const first = podsOf(objects)[0]!.pod.containers[0]!;
  const sandbox = await runner.start({ image: first.image, entrypoint: ['sleep', 'infinity'], command: [], network: 'none' });
  started.push(sandbox);

  const specOf = ({ object, pod, claims }: RenderedPod): { container: PodContainer; spec: ContainerSpec } => {
    const container = pod.containers[0]!;
    const security = pod.securityContext as { runAsUser: number; runAsGroup: number };
    const limits = container.securityContext as { readOnlyRootFilesystem: boolean };
    const volumes = new Map(pod.volumes.map((volume) => [volume.name, volume]));
    const binds: { source: string; target: string; readOnly: boolean }[] = [{ source: hosts, target: '/etc/hosts', readOnly: true }];
    const tmpfs: string[] = [];
    for (const { name, mountPath, subPath } of container.volumeMounts) {
      const volume = volumes.get(name);
      if (volume?.emptyDir !== undefined) tmpfs.push(mountPath);
      else if (volume?.configMap !== undefined) {
        const data = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === volume.configMap!.name)!['data'] as Record<string, string>;
        binds.push({ source: write(`${volume.configMap.name}/${subPath}`, data[subPath!]!, volume.configMap.defaultMode), target: mountPath, readOnly: true });
      } else if (volume?.secret !== undefined) {
        for (const [key, value] of Object.entries(secrets[volume.secret.secretName]!)) write(`${volume.secret.secretName}/${key}`, value, volume.secret.defaultMode, security.runAsGroup);
        binds.push({ source: join(folder, volume.secret.secretName), target: mountPath, readOnly: true });
      } else if (claims.includes(name)) {
        const claim = join(folder, `${object.metadata.name}-${name}`);
        mkdirSync(claim, { recursive: true });
        chownSync(claim, security.runAsUser, security.runAsGroup);
        binds.push({ source: claim, target: mountPath, readOnly: false });
      } else throw new Error(`the volume "${name}" of ${object.metadata.name} is of a kind that is not run here`);
    }
    const env = environment(container.env, secrets, `${object.metadata.name}-0`);
    return {
      container,
      spec: {
        image: container.image,
        entrypoint: container.command.map((word) => expand(word, env)),
        command: [],
        env,
        user: `${security.runAsUser}:${security.runAsGroup}`,
        network: `container:${sandbox.id}`,
        binds,
        tmpfs,
        readOnlyRoot: limits.readOnlyRootFilesystem,
        capDrop: ['ALL'],
      },
    };
  };
  const rendered = (object: KubernetesObject): RenderedPod => podsOf([object])[0]!;

  return {
    async start(object) {
      const { container, spec } = specOf(rendered(object));
      const running = await runner.start(spec);
      started.push(running);
      for (const probe of [container.startupProbe, container.readinessProbe]) {
        if (probe !== undefined) await holds(running, probe as Probe, container, object.metadata.name);
      }
      return running;
    },
    async finish(object) {
      const result = await runner.run(specOf(rendered(object)).spec, { timeoutMs: JOB_MS });
      if (result.exitCode !== 0) throw new Error(`${object.metadata.name} ended with ${result.exitCode}:\n${result.stdout}${result.stderr}`);
      return result;
    },
    exec: (command, env, image) =>
      runner.run({ image, entrypoint: command, command: [], env, network: `container:${sandbox.id}`, binds: [{ source: hosts, target: '/etc/hosts', readOnly: true }] }, { timeoutMs: JOB_MS }),
    async close() {
      for (const container of started.reverse()) await container.remove();
      rmSync(folder, { recursive: true, force: true });
      files.clear();
    },
  };
}

interface Probe {
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly tcpSocket?: { readonly port: string };
  readonly exec?: { readonly command: readonly string[] };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

async function holds(running: RunningContainer, probe: Probe, container: PodContainer, name: string): Promise<void> {
  const port = container.ports?.find((candidate) => candidate.name === (probe.httpGet ?? probe.tcpSocket)?.port)?.containerPort;
  const get = `printf 'GET ${probe.httpGet?.path} HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3; read -r _ status _ <&3; [ "$status" -ge 200 ] && [ "$status" -lt 400 ]`;
  const command = probe.exec?.command ?? ['bash', '-c', `exec 3<>/dev/tcp/127.0.0.1/${port} && { ${probe.httpGet === undefined ? ':' : get}; }`];
  const deadline = Date.now() + Math.min(probe.periodSeconds * probe.failureThreshold * 1000, 180_000);
  let last: ContainerResult | undefined;
  while (Date.now() < deadline) {
    last = await running.exec(command).catch(() => undefined);
    if (last?.exitCode === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`${name} is not ready: ${last?.stdout}${last?.stderr}\n${await running.logs()}`);
}

function environment(env: readonly EnvVar[], secrets: SecretValues, pod: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const variable of env) {
    if ('value' in variable) values[variable.name] = expand(variable.value, values);
    else if ('fieldRef' in variable.valueFrom) values[variable.name] = variable.valueFrom.fieldRef.fieldPath === 'metadata.name' ? pod : '127.0.0.1';
    else values[variable.name] = secrets[variable.valueFrom.secretKeyRef.name]![variable.valueFrom.secretKeyRef.key]!;
  }
  return values;
}

/** Kubernetes' expansion: `$(NAME)` of what is set before, `$$` for `$`, an unknown name left alone. */
function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (whole, name: string | undefined) => (name === undefined ? '$' : (env[name] ?? whole)));
}

function hostsFile(objects: readonly KubernetesObject[]): string {
  const services = objects.filter(({ kind }) => kind === 'Service').map(({ metadata }) => `${metadata.name}.${metadata.namespace}.svc.cluster.local`);
  const pods = objects.filter(({ kind }) => kind === 'StatefulSet').map(({ metadata }) => `${metadata.name}-0.${metadata.name}-peers.${metadata.namespace}.svc.cluster.local`);
  return ['localhost', ...services, ...pods].map((name) => `127.0.0.1 ${name}\n`).join('');
}
