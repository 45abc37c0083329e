import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** More than a store gets in its life; each is one that another program had taken. */
const KEPT = 16;

/** Ports that the registry of the store in `folder` has had, the last one first: engines may remember images below each of them. */
export function readPorts(folder: string): readonly number[] {
  try {
    return readFileSync(fileIn(folder), 'utf8')
      .split('\n')
      .map(Number)
      .filter((port) => Number.isInteger(port) && port > 1023 && port < 65_536);
  } catch {
    return [];
  }
}

/** Notes that the registry has this port. On a full disk nothing is noted: the next run takes another port, no worse. */
export function keepPort(folder: string, port: number): void {
  const before = readPorts(folder);
  if (before[0] !== port) keepPorts(folder, [port, ...before.filter((each) => each !== port)]);
}

/** Notes that images below `address`, where a reader serves the store, are pulled; `forgetAddresses` once engines have forgotten them. */
export function noteAddress(folder: string, address: string): void {
  const [own = 0, ...others] = readPorts(folder);
  keepPorts(folder, [own, portOf(address), ...others]);
}

/** Forgets ports of the store, since engines have forgotten what was below them. */
export function forgetAddresses(folder: string, addresses: readonly string[]): void {
  const forgotten = addresses.map(portOf);
  const before = readPorts(folder);
  if (before.some((port) => forgotten.includes(port)))
    keepPorts(
      folder,
      before.filter((port) => !forgotten.includes(port)),
    );
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

function keepPorts(folder: string, ports: readonly number[]): void {
  try {
    writeFileSync(
      fileIn(folder),
      ports
        .slice(0, KEPT)
        .map((port) => `${port}\n`)
        .join(''),
    );
  } catch {
    // As on a full disk.
  }
}

function fileIn(folder: string): string {
  return join(folder, 'port');
}
