import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalJson, sha256, type Json, type Sha256 } from '#core';
import type { ImageDefinition } from '#definitions';
import type { Memo } from '#ports';
import { askedPackages, type AskedPackage } from './asked-packages.ts';

/** The package-lock.json of the repository that holds the definition; absent where it has none. */
function lockfileOf({ folder }: ImageDefinition): string | undefined {
  const path = join(dirname(dirname(folder)), 'package-lock.json');
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : undefined;
}

/** What a definition asks of npm. Raises what `askedPackages` raises. */
export function askedOf(definition: ImageDefinition): readonly AskedPackage[] {
  const lockfile = lockfileOf(definition);
  return askedPackages(definition.npm?.packages ?? [], lockfile === undefined ? undefined : readFileSync(lockfile, 'utf8'));
}

/** SHA-256 of what a definition asks of npm; a package-lock.json that changes elsewhere changes nothing. */
export function askedHash(definition: ImageDefinition, memo: Memo): Sha256 {
  const lockfile = lockfileOf(definition);
  const { packages = [] } = definition.npm ?? {};
  const key = `npm-asked:1:${packages.join(' ')}:${lockfile === undefined ? '' : memo.fileSha256(lockfile)}`;
  return memo.recall<Sha256>(key, () => sha256(canonicalJson(askedOf(definition) as unknown as Json)));
}
