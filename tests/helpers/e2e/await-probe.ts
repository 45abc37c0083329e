import type { ContainerResult, RunningContainer } from '#ports';
import type { PodContainer } from '#site';

/** A rendered probe. */
export interface RenderedProbe {
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly tcpSocket?: { readonly port: string };
  readonly exec?: { readonly command: readonly string[] };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}

const MAX_WAIT_MS = 300_000;
const PAUSE_MS = 500;

/**
 * Runs a probe in the container until it succeeds. Throws with the last output and the log on a
 * timeout or if the container exits.
 */
export async function awaitProbe(
  running: RunningContainer,
  probe: RenderedProbe,
  container: PodContainer,
  name: string,
): Promise<void> {
  const port = container.ports?.find(
    (candidate) => candidate.name === (probe.httpGet ?? probe.tcpSocket)?.port,
  )?.containerPort;
  const ask = `printf 'GET ${probe.httpGet?.path} HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3`;
  const get = `${ask}; read -r _ status _ <&3; [ "$status" -ge 200 ] && [ "$status" -lt 400 ]`;
  const command = probe.exec?.command ?? [
    'bash',
    '-c',
    `exec 3<>/dev/tcp/127.0.0.1/${port} && { ${probe.httpGet === undefined ? ':' : get}; }`,
  ];
  const deadline =
    Date.now() + Math.min(probe.periodSeconds * probe.failureThreshold * 1000, MAX_WAIT_MS);
  let last: ContainerResult | undefined;
  let ended = false;
  void running.wait().then(
    () => (ended = true),
    () => (ended = true),
  );
  while (Date.now() < deadline && !ended) {
    last = await running.exec(command).catch(() => undefined);
    if (last?.exitCode === 0) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(
    `${name} is not ready: ${last?.stdout ?? ''}${last?.stderr ?? ''}\n${await running.logs()}`,
  );
}
