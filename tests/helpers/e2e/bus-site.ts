import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { startBusClient, type BusClient } from './bus-client.ts';
import { openNamespaces } from './namespaces.ts';
import { openReplicas, type Replicas } from './replicas.ts';

/** The effect of one fault on the client. Times are in seconds. */
export interface BusFaultResult {
  readonly series: string;
  readonly fault: string;
  /** Until all replicas of the queue were in step again. */
  readonly back: number;
  /** Longest time without a confirm. */
  readonly gap: number;
  readonly messages: number;
  readonly lost: number;
  readonly errors: number;
}

/** Three members of RabbitMQ, each with its own network, and a client. */
export interface BusSite {
  readonly replicas: Replicas;
  readonly results: readonly BusFaultResult[];
  /** Starts pods, and starts ended ones again, as a kubelet does. */
  start(...ordinals: readonly number[]): Promise<void>;
  /** Drops packets between members of different sides; the client reaches all of them. */
  cut(sides: readonly (readonly number[])[]): () => void;
  /** Waits until these members have replicas of the queue in step with the leader. */
  together(members?: readonly number[]): Promise<void>;
  /** Waits until the client gets confirms. */
  confirms(): Promise<void>;
  /** Runs a fault under the client and waits; no confirmed message is lost. */
  under(
    fault: string,
    run: () => Promise<void>,
    after?: readonly number[],
  ): Promise<BusFaultResult>;
  close(): Promise<void>;
}

/** Ordinals of the members. */
export const ALL: readonly number[] = [0, 1, 2];
/** Pods have places for five members and for the client. */
const [SPARE, CLIENT] = [3, 5];
const WAIT_MS = 420_000;
const DRAIN_MS = 60_000;
const SETTLE_MS = 4000;
const STARTS = 5;
/** Entries of the log by which a replica may be behind while messages arrive. */
const IN_STEP = 100;

interface ReplicaStatus {
  readonly 'Node Name': string;
  readonly 'Raft State': string;
  /** Absent before RabbitMQ 4. A replica that does not vote yet does not count in a majority. */
  readonly Membership?: string;
  readonly 'Commit Index': number;
}

/** Opens three members of a series under the client. Needs root. */
export async function openBusSite(series: string): Promise<BusSite> {
  const replicas = await openReplicas('rabbitmq', 'rabbitmq', [series], SPARE);
  const namespaces = openNamespaces(replicas.open.engine, '');
  const results: BusFaultResult[] = [];

  const start = async (...ordinals: readonly number[]): Promise<void> => {
    await Promise.all(
      ordinals.map(async (ordinal) => {
        for (let attempt = 1; ; attempt++) {
          try {
            return await replicas.start(ordinal);
          } catch (thrown) {
            if (attempt === STARTS) throw thrown;
            console.log(`${series}: member ${ordinal} starts again: ${lastLine(thrown as Error)}`);
          }
        }
      }),
    );
  };
  const status = async (ordinal: number): Promise<readonly ReplicaStatus[]> => {
    const { exitCode, stdout, stderr } = await replicas
      .node(ordinal)
      .exec(['rabbitmq-queues', 'quorum_status', 'rounds', '--formatter', 'json', '--quiet']);
    if (exitCode !== 0) throw new Error(`member ${ordinal}: ${stdout}${stderr}`);
    return JSON.parse(stdout) as readonly ReplicaStatus[];
  };
  const together = async (members = ALL): Promise<void> => {
    let last = '';
    for (const until = Date.now() + WAIT_MS; Date.now() < until; await delay(500)) {
      const found = await status(members[0]!).catch((thrown: Error) => {
        last = thrown.message;
        return [];
      });
      if (found.length > 0) last = JSON.stringify(found);
      const highest = Math.max(...found.map((each) => each['Commit Index']));
      const inStep = found.filter(
        (each) =>
          ['leader', 'follower'].includes(each['Raft State']) &&
          (each.Membership ?? 'voter') === 'voter' &&
          each['Commit Index'] > highest - IN_STEP,
      );
      if (found.length === members.length && inStep.length === found.length)
        // Mnesia writes the new list of replicas to disk some seconds later.
        return delay(SETTLE_MS);
    }
    const logs = await Promise.all(
      members.map(async (ordinal) => (await replicas.node(ordinal).logs()).slice(-3000)),
    );
    throw new Error(`not together after ${WAIT_MS / 1000} s: ${last}\n${logs.join('\n---\n')}`);
  };

  let client: BusClient | undefined;
  const close = async (): Promise<void> => {
    await client?.stop();
    await replicas.close();
  };
  try {
    await start(...ALL);
    client = await startBusClient(replicas, CLIENT, ALL.length);
    const { report, lastErrors } = client;
    await together();
    const confirms = async (): Promise<void> => {
      const until = Date.now() + WAIT_MS;
      while (report(Date.now() - 1500).confirmed === 0) {
        if (Date.now() > until) throw new Error(`no confirm: ${lastErrors().join('\n')}`);
        await delay(500);
      }
    };
    return {
      replicas,
      results,
      start,
      together,
      confirms,
      cut: (sides) => {
        const routes = sides.flatMap((side, at) =>
          side.flatMap((member) =>
            sides
              .filter((_, index) => index !== at)
              .flat()
              .map((other) => [member, replicas.place(other).address!] as const),
          ),
        );
        const change = (verb: string): void => {
          for (const [member, address] of routes)
            namespaces
              .of(replicas.place(member).network!)
              .ip('route', verb, 'blackhole', `${address}/32`);
        };
        change('add');
        return () => change('delete');
      },
      under: async (fault, run, after = ALL) => {
        const from = Date.now();
        await run();
        await together(after);
        const back = Math.round((Date.now() - from) / 100) / 10;
        // The client may connect again later than the members.
        await confirms();
        const { confirmed, gap, errors, repeated } = report(from);
        const pending = new Set(report(from).missing);
        // New messages arrive all the time; those of before must arrive too.
        let lost = [...pending];
        for (const until = Date.now() + DRAIN_MS; lost.length > 0 && Date.now() < until;) {
          await delay(500);
          const now = new Set(report(from).missing);
          lost = lost.filter((number) => now.has(number));
        }
        const result = {
          series,
          fault,
          back,
          gap: Math.round(gap * 10) / 10,
          messages: confirmed,
          lost: lost.length,
          errors,
        };
        console.log(
          `${series}: ${fault}: back after ${back} s, ${result.gap} s without a confirm, ${confirmed} messages, lost ${lost.length}, repeated ${repeated}, errors ${errors} ${lastErrors().at(-1) ?? ''}`,
        );
        results.push(result);
        expect(lost, lastErrors().join('\n')).toEqual([]);
        expect(confirmed).toBeGreaterThan(0);
        return result;
      },
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

const lastLine = ({ message }: Error): string => message.trim().split('\n').at(-1)!;
