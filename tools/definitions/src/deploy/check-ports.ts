import type { Workload } from './app-spec.ts';
import type { SpecFindings } from './spec-findings.ts';

/**
 * Refuses equal port names or numbers in a workload: its containers share a network and a Service.
 */
export function checkPorts(name: string, workload: Workload, { refuse }: SpecFindings): void {
  const names = portsIn(workload);
  if (new Set(names).size !== names.length)
    refuse(
      ['workloads', name, 'containers'],
      `two containers of "${name}" have a port of the same name`,
    );
  const taken = new Map<number, string>();
  for (const [container, { ports = {} }] of Object.entries(workload.containers)) {
    for (const [port, { port: number }] of Object.entries(ports)) {
      const here = `"${port}" of the container "${container}"`;
      const first = taken.get(number);
      if (first === undefined) taken.set(number, here);
      else
        refuse(
          ['workloads', name, 'containers', container, 'ports', port, 'port'],
          `port ${number} is used twice in the pod: by ${first} and by ${here}`,
          'set a different number for each port',
        );
    }
  }
}

/** Names of the ports of all containers of a workload. */
export function portsIn({ containers }: Workload): string[] {
  return Object.values(containers).flatMap((container) => Object.keys(container.ports ?? {}));
}
