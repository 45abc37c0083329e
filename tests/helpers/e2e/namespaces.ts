import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { ContainerRunner, RunningContainer } from '#ports';

/** A network namespace of a container, with loopback and added interfaces. */
export interface Namespace {
  /** Value of `network` in a ContainerSpec to join it. */
  readonly network: string;
  /** Runs `ip` in the namespace. */
  ip(...words: readonly string[]): void;
  /** Creates a pair of interfaces, one here and one in `other`, and sets both up. */
  link(name: string, other: Namespace, otherName: string): void;
  readonly pid: number;
}

/** Network namespaces of this machine. */
export interface Namespaces {
  make(): Promise<Namespace>;
  /** The namespace for `network` in a ContainerSpec: `container:ID`. */
  of(network: string): Namespace;
  close(): Promise<void>;
}

/**
 * Creates network namespaces with this machine's programs `ip` and `nsenter`. Needs root; `image`
 * contains `sleep`.
 */
export function openNamespaces(runner: ContainerRunner, image: string): Namespaces {
  const holders: RunningContainer[] = [];
  return {
    async make() {
      const holder = await runner.start({
        image,
        entrypoint: ['sleep', 'infinity'],
        command: [],
        network: 'none',
      });
      holders.push(holder);
      return namespace(holder.id);
    },
    of: (network) => namespace(network.slice(CONTAINER.length)),
    async close() {
      for (const holder of holders) await holder.remove();
    },
  };
}

const CONTAINER = 'container:';

function namespace(id: string): Namespace {
  const pid = processOf(id);
  const ip = (...words: readonly string[]): void =>
    void execFileSync('nsenter', [`--net=/proc/${pid}/ns/net`, 'ip', ...words]);
  return {
    network: `${CONTAINER}${id}`,
    pid,
    ip,
    link(name, other, otherName) {
      ip(
        'link',
        'add',
        'name',
        name,
        'type',
        'veth',
        'peer',
        'name',
        otherName,
        'netns',
        String(other.pid),
      );
      ip('link', 'set', name, 'up');
      other.ip('link', 'set', otherName, 'up');
    },
  };
}

/** Process id of the container on this machine. */
function processOf(id: string): number {
  const found = readdirSync('/proc').find((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cgroup`, 'utf8').includes(id);
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error(`the container ${id} has no process on this machine`);
  return Number(found);
}
