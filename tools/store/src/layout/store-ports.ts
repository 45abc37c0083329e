import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '#host';

/**
 * More ports than a store usually gets: it gets a new one only if another program uses the last.
 */
const KEPT = 16;

/**
 * Ports on which the store in `folder` was served, starting with the last writing run's. Engines
 * can still have image names with each of them.
 */
export function readPorts(folder: string): readonly number[] {
  const [own, ...earlier] = ownPorts(folder);
  return [...(own === undefined ? [] : [own]), ...readerPorts(folder), ...earlier];
}

/**
 * The registry's port in the last writing run on the store in `folder`; undefined before the first.
 */
export function lastPort(folder: string): number | undefined {
  return ownPorts(folder)[0];
}

/**
 * Records the registry's port; the caller must have locked the store. On a full disk nothing is
 * recorded, and the next run uses another port.
 */
export function recordPort(folder: string, port: number): void {
  const before = ownPorts(folder);
  if (before[0] !== port) keepPorts(folder, [port, ...before.filter((each) => each !== port)]);
}

/**
 * Records that images are pulled from `address`, where a reader serves the store. Call
 * `forgetAddresses` after their names are removed from the engines.
 */
export function recordAddress(folder: string, address: string): void {
  try {
    makeFolder(readersIn(folder));
    writeFileSync(join(readersIn(folder), `${portOf(address)}`), '');
    for (const port of readerPorts(folder).slice(KEPT)) dropReader(folder, port);
  } catch {
    // Not recorded, as on a full disk.
  }
}

/** Removes recorded addresses, after the names with them are removed from the engines. */
export function forgetAddresses(folder: string, addresses: readonly string[]): void {
  const forgotten = addresses.map(portOf);
  for (const port of forgotten) dropReader(folder, port);
  const own = ownPorts(folder);
  const kept = own.filter((port) => !forgotten.includes(port));
  if (kept.length < own.length) keepPorts(folder, kept);
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 1023 && port < 65_536;
}

function ownPorts(folder: string): readonly number[] {
  try {
    return readFileSync(fileIn(folder), 'utf8').split('\n').map(Number).filter(isPort);
  } catch {
    return [];
  }
}

function keepPorts(folder: string, ports: readonly number[]): void {
  const lines = ports.slice(0, KEPT).map((port) => `${port}\n`);
  try {
    replaceFile(fileIn(folder), lines.join(''), { flush: false });
  } catch {
    // Not recorded, as on a full disk.
  }
}

/** Ports of readers, newest first. */
function readerPorts(folder: string): readonly number[] {
  try {
    const ports = readdirSync(readersIn(folder)).map(Number).filter(isPort);
    const noted = ports.map((port) => ({
      port,
      at: statSync(join(readersIn(folder), `${port}`), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }));
    return noted.sort((a, b) => b.at - a.at).map(({ port }) => port);
  } catch {
    return [];
  }
}

function dropReader(folder: string, port: number): void {
  try {
    rmSync(join(readersIn(folder), `${port}`), { force: true });
  } catch {
    // The record stays; the only cost is another search in the engines.
  }
}

/** The file with the registry's ports, one per line; written only with the store locked. */
function fileIn(folder: string): string {
  return join(folder, 'port');
}

/**
 * A folder with one file per reader's port, since readers run at the same time, without the lock.
 */
function readersIn(folder: string): string {
  return join(folder, 'readers');
}
