import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeZip } from './zip.ts';

/** What a resolver must know of a release that has no wheel. */
export interface StubFacts {
  readonly name: string;
  readonly version: string;
  /** In the form of `Requires-Dist`. */
  readonly requires: readonly string[];
  readonly extras: readonly string[];
}

/**
 * Writes a wheel that holds metadata and nothing else, and returns its path: a resolver that may not build reads from it what
 * the release needs, so no setup script runs on the host. It is never installed.
 */
export function writeStubWheel(folder: string, { name, version, requires, extras }: StubFacts): string {
  const stem = `${name.replaceAll('-', '_')}-${version}`;
  const line = (key: string, value: string): string => `${key}: ${value.replace(/\s+/g, ' ')}\n`;
  const metadata =
    `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n` +
    extras.map((extra) => line('Provides-Extra', extra)).join('') +
    requires.map((requirement) => line('Requires-Dist', requirement)).join('');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${stem}-py3-none-any.whl`);
  writeFileSync(
    path,
    writeZip({
      [`${stem}.dist-info/METADATA`]: metadata,
      [`${stem}.dist-info/WHEEL`]: 'Wheel-Version: 1.0\nGenerator: ccp\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      [`${stem}.dist-info/RECORD`]: '',
    }),
  );
  return path;
}
