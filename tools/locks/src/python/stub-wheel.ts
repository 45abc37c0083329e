import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeZip } from './write-zip.ts';

/** Metadata of a release without a wheel. */
export interface StubFacts {
  readonly name: string;
  readonly version: string;
  /** In the form of `Requires-Dist`. */
  readonly requires: readonly string[];
  readonly extras: readonly string[];
}

/**
 * Writes a wheel that contains only metadata, and returns its path. uv reads the release's
 * dependencies from it, so that no setup script runs on the host. It is never installed.
 */
export function writeStubWheel(
  folder: string,
  { name, version, requires, extras }: StubFacts,
): string {
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
      [`${stem}.dist-info/WHEEL`]:
        'Wheel-Version: 1.0\nGenerator: ccp\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      [`${stem}.dist-info/RECORD`]: '',
    }),
  );
  return path;
}
