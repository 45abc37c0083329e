import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Replicas } from './replicas.ts';

/** Events of the client since a time; times are in seconds. */
export interface BusReport {
  /** Messages with a confirm. */
  readonly confirmed: number;
  /** Confirmed messages, since the client's start, that it has not received yet. */
  readonly missing: readonly number[];
  /** Messages that it received again. */
  readonly repeated: number;
  readonly errors: number;
  /** Longest time between two confirms. */
  readonly gap: number;
}

/** A client that publishes through all members, and consumes the same queue. */
export interface BusClient {
  /** Events since a time of `Date.now()`. */
  report(since: number): BusReport;
  /** The last errors, for the message of a failed test. */
  lastErrors(): readonly string[];
  stop(): Promise<void>;
}

const PROGRAM = readFileSync(new URL('bus-client.py', import.meta.url), 'utf8');
const LAST_ERRORS = 8;

/** Starts the client in the place `ordinal`, whose pod is not a member. */
export async function startBusClient(
  { open, place }: Replicas,
  ordinal: number,
  members: number,
): Promise<BusClient> {
  const folder = join(open.folder, 'bus-client');
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const file = join(folder, 'events');
  const container = await open.engine.start({
    image: open.imageOf('openstack-base'),
    entrypoint: ['/opt/openstack/bin/python', '-c', PROGRAM],
    command: [],
    env: {
      HOSTS: Array.from({ length: members }, (_, member) => place(member).address!).join(','),
      PASSWORD: open.pods.secrets.read('rabbitmq-admin')['password']!,
      EVENTS: '/events/events',
    },
    network: place(ordinal).network!,
    binds: [{ source: folder, target: '/events', readOnly: false }],
  });
  const lines = (): readonly string[] => {
    try {
      return readFileSync(file, 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  };
  return {
    report: (since) => reportOf(lines(), since / 1000, Date.now() / 1000),
    lastErrors: () =>
      lines()
        .filter((line) => line.startsWith('error '))
        .slice(-LAST_ERRORS),
    stop: () => container.remove(),
  };
}

/** The report of the client's lines: `KIND SECONDS VALUE`. */
export function reportOf(lines: readonly string[], since: number, now: number): BusReport {
  const [confirmed, received] = [new Set<number>(), new Set<number>()];
  let [recent, repeated, errors, gap, last] = [0, 0, 0, 0, since];
  for (const line of lines) {
    const [kind, at, value] = line.split(' ', 3);
    const isRecent = Number(at) >= since;
    if (kind === 'confirmed') {
      confirmed.add(Number(value));
      if (!isRecent) continue;
      recent++;
      [gap, last] = [Math.max(gap, Number(at) - last), Number(at)];
    } else if (kind === 'received') {
      if (isRecent && received.has(Number(value))) repeated++;
      received.add(Number(value));
    } else if (isRecent) errors++;
  }
  return {
    confirmed: recent,
    missing: [...confirmed].filter((number) => !received.has(number)),
    repeated,
    errors,
    gap: Math.max(gap, now - last),
  };
}
