import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { imageName, series as seriesName } from '#core';
import { fetchControls, openCache, openMirrors } from '#fetch';
import { readLock } from '#locks';
import { memoryMemo } from '#ports/testing';
import { cacheFolder, readSettings } from '../../../tools/cli/src/compose/settings.ts';
import { readStream } from '../../../tools/formats/src/testing/tar-list.ts';
import { controlEntry } from '../../../tools/locks/src/debian/control-entry.ts';
import { REPOSITORY } from '../ccp.ts';
import type { MirrorPackage } from './debian-mirror.ts';

/**
 * The Debian packages that images of this repository lock, as a mirror lists them. The packages
 * come from the cache; missing ones are fetched.
 */
export async function lockedPackages(
  images: readonly string[],
  series = '2026.1',
): Promise<readonly MirrorPackage[]> {
  const settings = readSettings(REPOSITORY, memoryMemo());
  const cache = openCache({ folder: cacheFolder(settings) });
  const items = images
    .map((name) => ({ name: imageName(name), folder: join(REPOSITORY, 'images', name) }))
    .flatMap((image) => Object.values(readLock(image, seriesName(series)).debian).flat());
  const unique = [...new Map(items.map((item) => [item.sha256, item])).values()];
  const controls = await fetchControls(
    cache,
    unique.map((item) => ({ kind: 'debian', ...item })),
    { mirrors: openMirrors(settings.mirrors) },
  );
  return unique.map((locked) => ({
    pool: locked.pool,
    stanza: controlEntry(locked, controls.get(locked.sha256)!).stanza,
    read: () => readStream(cache.open(locked.sha256)),
  }));
}

/**
 * The same packages after an update by Debian: the lists have a newer version of each of these
 * names, and its siblings' dependencies on each other are those of the newer version.
 */
export function updated(packages: readonly MirrorPackage[]): readonly MirrorPackage[] {
  return packages.map(({ pool, stanza }) => {
    const version = /^Version: (.+)$/m.exec(stanza)![1]!;
    const name = /^Package: (.+)$/m.exec(stanza)![1]!;
    return {
      pool: pool.replace(/_([^_]*)$/, '+update1_$1'),
      stanza: stanza
        .replaceAll(`(= ${version})`, `(= ${version}+update1)`)
        .replace(/^Version: .+$/m, `Version: ${version}+update1`)
        .replace(/^Filename: .+$/m, `Filename: ${pool.replace(/_([^_]*)$/, '+update1_$1')}`)
        .replace(/^SHA256: .+$/m, `SHA256: ${createHash('sha256').update(name).digest('hex')}`),
      read: () => Promise.reject(new Error('the package is only in the lists')),
    };
  });
}
