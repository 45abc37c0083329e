import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { ContainerRunner, RunningContainer } from '#ports';

/** A network namespace that a container holds; it has loopback and what is linked to it. */
export interface Namespace {
  /** `network` of a ContainerSpec that joins it. */
  readonly network: string;
  /** Runs `ip` in it. */
  ip(...words: readonly string[]): void;
  /** Makes a pair of interfaces: one here, its other end in `other`. Both are up. */
  link(name: string, other: Namespace, otherName: string): void;
  readonly pid: number;
}

/** Network namespaces of this machine. */
export interface Namespaces {
  make(): Promise<Namespace>;
  /** The namespace that `network` of a ContainerSpec names: `container:ID`. */
  of(network: string): Namespace;
  close(): Promise<void>;
}

/** Makes network namespaces, with the programs `ip` and `nsenter` of this machine, as root; `image` has `sleep`. */
export function openNamespaces(runner: ContainerRunner, image: string): Namespaces {
  const holders: RunningContainer[] = [];
  return {
    async make() {
      const holder = await runner.start({ image, entrypoint: ['sleep', 'infinity'], command: [], network: 'none' });
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
  const ip = (...words: readonly string[]): void => void execFileSync('nsenter', [`--net=/proc/${pid}/ns/net`, 'ip', ...words]);
  return {
    network: `${CONTAINER}${id}`,
    pid,
    ip,
    link(name, other, otherName) {
      ip('link', 'add', 'name', name, 'type', 'veth', 'peer', 'name', otherName, 'netns', String(other.pid));
      ip('link', 'set', name, 'up');
      other.ip('link', 'set', otherName, 'up');
    },
  };
}

/** A process of the container, as this machine numbers it. */
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
