import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalJson, reading, sha256, type Json, type Sha256 } from '#core';
import type { ImageDefinition } from '#definitions';
import { readUnchanged } from '#host';
import type { Memo } from '#ports';
import { fileName } from '../file-name.ts';
import { askedPackages, type AskedPackage } from './asked-packages.ts';

/** The package-lock.json of the repository that holds the definition; absent where it has none. */
function lockfileOf({ folder }: ImageDefinition): string | undefined {
  const path = join(dirname(dirname(folder)), 'package-lock.json');
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : undefined;
}

/** What a definition asks of npm. Raises what `askedPackages` raises. */
export function askedOf(definition: ImageDefinition): readonly AskedPackage[] {
  const lockfile = lockfileOf(definition);
  return askedIn(definition, lockfile === undefined ? undefined : reading(fileName(definition, lockfile), () => readFileSync(lockfile)));
}

/** SHA-256 of what a definition asks of npm; a package-lock.json that changes elsewhere changes nothing. */
export function askedHash(definition: ImageDefinition, memo: Memo): Sha256 {
  const lockfile = lockfileOf(definition);
  const { packages = [] } = definition.npm ?? {};
  const hash = lockfile === undefined ? undefined : reading(fileName(definition, lockfile), () => memo.fileSha256(lockfile));
  return memo.recall<Sha256>(`npm-asked:1:${packages.join(' ')}:${hash ?? ''}`, () => {
    const bytes = hash === undefined ? undefined : readUnchanged(lockfile!, hash, fileName(definition, lockfile!));
    return sha256(canonicalJson(askedIn(definition, bytes) as unknown as Json));
  });
}

function askedIn({ npm }: ImageDefinition, lockfile: Uint8Array | undefined): readonly AskedPackage[] {
  return askedPackages(npm?.packages ?? [], lockfile === undefined ? undefined : Buffer.from(lockfile).toString());
}
