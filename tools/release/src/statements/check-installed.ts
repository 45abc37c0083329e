import { CcpError, counted, shortList } from '#core';
import { pythonName } from './purl.ts';
import type { Component, InstalledPackage, InstalledPackages } from './types.ts';

/** Differences that an error names. */
const SHOWN = 8;

/**
 * Compares the components of an image's locks with the packages in its layers. Throws
 * `statement-mismatch` with the differences.
 */
export function checkInstalled(
  image: string,
  components: readonly Component[],
  installed: InstalledPackages,
): void {
  const differences = [
    ...differencesOf(
      'Debian package',
      components.flatMap((each) => (each.kind === 'debian' ? [debianKey(each)] : [])),
      installed.debian.map(debianKey),
    ),
    ...differencesOf(
      'Python distribution',
      components.flatMap((each) => (each.distribution === true ? [pythonKey(each)] : [])),
      installed.python.map(pythonKey),
    ),
  ];
  if (differences.length === 0) return;
  throw new CcpError({
    code: 'statement-mismatch',
    message: `${image} does not contain the packages of its locks: ${shortList(differences, SHOWN)}`,
    hint: `the image has ${counted(differences.length, 'difference')} from its package list; build it again: ccp build ${image} --rebuild --no-cache`,
  });
}

type Named = Pick<InstalledPackage, 'name' | 'version' | 'architecture'>;

function debianKey({ name, version, architecture = '' }: Named): string {
  return `${name} ${version} ${architecture}`;
}

function pythonKey({ name, version }: Named): string {
  return `${pythonName(name)} ${pythonVersion(version)}`;
}

/** A version without the differences that PEP 440 ignores. */
function pythonVersion(version: string): string {
  return version
    .toLowerCase()
    .replace(/^v/, '')
    .replace(/[-_.]?(a|b|rc|post|dev)[-_.]?(?=\d)/g, '$1');
}

function differencesOf(
  kind: string,
  locked: readonly string[],
  found: readonly string[],
): readonly string[] {
  const [wanted, present] = [new Set(locked), new Set(found)];
  return [
    ...[...wanted].filter((key) => !present.has(key)).map((key) => `${kind} ${key} is missing`),
    ...[...present].filter((key) => !wanted.has(key)).map((key) => `${kind} ${key} is not locked`),
  ].sort();
}
