import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalJson, reading, sha256, type Json, type Sha256 } from '#core';
import type { ImageDefinition } from '#definitions';
import { readUnchanged } from '#host';
import type { Memo } from '#ports';
import { fileName } from '../file-name.ts';
import { requestedPackages, type RequestedPackage } from './requested-packages.ts';

/**
 * Path of the package-lock.json in the definition's repository; `undefined` if it does not exist.
 */
function lockfileOf({ folder }: ImageDefinition): string | undefined {
  const path = join(dirname(dirname(folder)), 'package-lock.json');
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : undefined;
}

/** The npm packages that a definition requests. Raises the errors of `requestedPackages`. */
export function npmPackagesOf(definition: ImageDefinition): readonly RequestedPackage[] {
  const lockfile = lockfileOf(definition);
  return requestedIn(
    definition,
    lockfile === undefined
      ? undefined
      : reading(fileName(definition, lockfile), () => readFileSync(lockfile)),
  );
}

/**
 * SHA-256 of the npm packages that a definition requests; other changes of package-lock.json do not
 * change it.
 */
export function requestedHash(definition: ImageDefinition, memo: Memo): Sha256 {
  const lockfile = lockfileOf(definition);
  const { packages = [] } = definition.npm ?? {};
  const hash =
    lockfile === undefined
      ? undefined
      : reading(fileName(definition, lockfile), () => memo.fileSha256(lockfile));
  return memo.recall<Sha256>(`npm-requested:1:${packages.join(' ')}:${hash ?? ''}`, () => {
    const bytes =
      hash === undefined
        ? undefined
        : readUnchanged(lockfile!, hash, fileName(definition, lockfile!));
    return sha256(canonicalJson(requestedIn(definition, bytes) as unknown as Json));
  });
}

function requestedIn(
  { npm }: ImageDefinition,
  lockfile: Uint8Array | undefined,
): readonly RequestedPackage[] {
  return requestedPackages(
    npm?.packages ?? [],
    lockfile === undefined ? undefined : Buffer.from(lockfile).toString(),
  );
}
