import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '#host';

/** More than a store gets in its life; each is one that another program had taken. */
const KEPT = 16;

/** Ports that the store in `folder` was served at, that of its last run that wrote first: engines may remember images below each of them. */
export function readPorts(folder: string): readonly number[] {
  const [own, ...earlier] = ownPorts(folder);
  return [...(own === undefined ? [] : [own]), ...readerPorts(folder), ...earlier];
}

/** The port that the registry of the store in `folder` had in the last run that wrote; none before the first. */
export function lastPort(folder: string): number | undefined {
  return ownPorts(folder)[0];
}

/** Notes that the registry has this port; for who holds the store. On a full disk nothing is noted: the next run takes another port, no worse. */
export function keepPort(folder: string, port: number): void {
  const before = ownPorts(folder);
  if (before[0] !== port) keepPorts(folder, [port, ...before.filter((each) => each !== port)]);
}

/** Notes that images below `address`, where a reader serves the store, are pulled; `forgetAddresses` once engines have forgotten them. */
export function noteAddress(folder: string, address: string): void {
  try {
    makeFolder(readersIn(folder));
    writeFileSync(join(readersIn(folder), `${portOf(address)}`), '');
    for (const port of readerPorts(folder).slice(KEPT)) dropReader(folder, port);
  } catch {
    // As on a full disk.
  }
}

/** Forgets ports of the store, since engines have forgotten what was below them. */
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
    // As on a full disk.
  }
}

/** Of readers, the latest first. */
function readerPorts(folder: string): readonly number[] {
  try {
    const ports = readdirSync(readersIn(folder)).map(Number).filter(isPort);
    const noted = ports.map((port) => ({ port, at: statSync(join(readersIn(folder), `${port}`), { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
    return noted.sort((a, b) => b.at - a.at).map(({ port }) => port);
  } catch {
    return [];
  }
}

function dropReader(folder: string, port: number): void {
  try {
    rmSync(join(readersIn(folder), `${port}`), { force: true });
  } catch {
    // Noted for longer than it need be, which costs engines a look.
  }
}

/** Lines of the registry's ports, written by who holds the store. */
function fileIn(folder: string): string {
  return join(folder, 'port');
}

/** A file for each port of a reader, since readers come and go beside each other and beside who holds the store. */
function readersIn(folder: string): string {
  return join(folder, 'readers');
}
