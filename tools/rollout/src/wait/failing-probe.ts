import { omitUndefined } from '#core';
import type { ObjectEvent } from '#ports';
import { isOfEarlierObject } from './event-text.ts';
import { hasStarted, type Pod, type Probe } from './pod.ts';

/** A probe that a container fails, as kubelet reports it. */
export interface FailingProbe {
  readonly kind: 'startup' | 'readiness' | 'liveness';
  /** The probe as text: `liveness probe (tcp port 11211)`. */
  readonly name: string;
  /** The result: `dial tcp 10.0.0.5:11211: connect: connection refused`. */
  readonly got: string;
  /** Whether kubelet has restarted the container because of it. */
  readonly kills: boolean;
}

type Kind = FailingProbe['kind'];

/** Kubelet's messages (1.32 to 1.36). */
const FAILED = /^(Startup|Readiness|Liveness) probe (?:failed|errored[^:]*): (.*)$/s;
const KILLED = /failed (startup|liveness) probe, will be restarted$/;
/** Failures of a liveness probe after which they are not an accident. */
const CHANCE = 2;
/** Maximum seconds between events of one moment. */
const SLACK = 5;

/**
 * The failing probe of a container, by its pod's events, oldest first: the probe that causes
 * restarts, otherwise the probe that fails in the current stage. Times of events are only compared
 * with each other, so clocks need not agree.
 */
export function failingProbe(
  pod: Pod,
  container: string,
  events: readonly ObjectEvent[],
): FailingProbe | undefined {
  const own = events.filter(
    (event) => (event.container ?? container) === container && !isOfEarlierObject(event, pod),
  );
  const of = (
    kind: Kind,
  ): {
    readonly last?: ObjectEvent & { readonly got: string };
    readonly times: number;
    readonly kills: boolean;
  } => {
    const failures = own.flatMap((event) => {
      const [, which, got] = FAILED.exec(event.message) ?? [];
      return which?.toLowerCase() === kind
        ? [{ ...event, got: got!.trim().replaceAll(/\s+/g, ' ') }]
        : [];
    });
    const [last, times] = [failures.at(-1), failures.reduce((sum, { count }) => sum + count, 0)];
    return {
      ...omitUndefined({ last }),
      times,
      kills: own.some(({ message }) => KILLED.exec(message)?.[1] === kind),
    };
  };
  const [startup, readiness, liveness] = [of('startup'), of('readiness'), of('liveness')];
  const failing = (kind: Kind, { last, kills }: typeof startup): FailingProbe | undefined =>
    last === undefined
      ? undefined
      : { kind, name: `${kind} probe${placeOf(pod, container, kind)}`, got: last.got, kills };
  if (
    liveness.kills ||
    (liveness.times >= CHANCE && !isOver(pod, container, liveness.last!, readiness.last))
  )
    return failing('liveness', liveness);
  if (startup.kills || !hasStarted(pod, container)) return failing('startup', startup);
  return failing('readiness', readiness);
}

/**
 * Whether a liveness probe has passed since it failed: otherwise it would have failed again by the
 * time of the last readiness failure.
 */
function isOver(
  pod: Pod,
  container: string,
  liveness: ObjectEvent,
  readiness: ObjectEvent | undefined,
): boolean {
  const { periodSeconds = 10 } = probeOf(pod, container, 'liveness') ?? {};
  return (
    readiness !== undefined &&
    Date.parse(readiness.lastSeen) - Date.parse(liveness.lastSeen) >
      (2 * periodSeconds + SLACK) * 1000
  );
}

function probeOf({ spec }: Pod, container: string, kind: Kind): Probe | undefined {
  return spec.containers?.find(({ name }) => name === container)?.[`${kind}Probe`];
}

function placeOf(pod: Pod, container: string, kind: Kind): string {
  const probe = probeOf(pod, container, kind);
  const ports = pod.spec.containers?.find(({ name }) => name === container)?.ports;
  const number = (port: number | string): number | string =>
    ports?.find(({ name }) => name === port)?.containerPort ?? port;
  if (probe?.tcpSocket !== undefined) return ` (tcp port ${number(probe.tcpSocket.port)})`;
  if (probe?.httpGet !== undefined)
    return ` (http port ${number(probe.httpGet.port)}, ${probe.httpGet.path ?? '/'})`;
  return probe?.exec?.command === undefined ? '' : ` (${probe.exec.command[0]})`;
}
