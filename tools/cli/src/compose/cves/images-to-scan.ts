import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError } from '#core';
import type { ImagePackages } from '#cves';
import type { ImageSet, ImageSetEntry } from '#release';
import type { CommandContext } from '../../command.ts';
import { bundledRelease, isArchive } from '../deploy/bundle-set.ts';
import type { ClusterFlags } from '../deploy/open-site.ts';
import { openReader, readTrustedKeys, type TrustFlags } from '../registry-place.ts';
import { lockLines, type LockLines } from './lock-lines.ts';
import { runningImages, type RunningImages } from './running-images.ts';
import { builtSet, publishedSet, readPackages, type PackageSource } from './package-source.ts';

/** Flags that choose images. */
export interface ScanFlags extends TrustFlags, ClusterFlags {
  readonly from?: string;
  readonly set?: string;
}

/** Images with their packages, and the place of each package. */
export interface ScannedImages {
  /** Name of the set or site, for the report. */
  readonly title: string;
  readonly images: readonly ImagePackages[];
  readonly unchecked: readonly string[];
  readonly locks: ReadonlyMap<string, { readonly lines: LockLines; readonly entry: ImageSetEntry }>;
  readonly site?: RunningImages;
}

/**
 * Reads the packages of shipped images: of the last build, a set file, a bundle, a published set or
 * release (with `from`), or the images that a site runs.
 */
export async function imagesToScan(
  context: CommandContext,
  operand: string | undefined,
  flags: ScanFlags,
): Promise<ScannedImages> {
  const { root } = context;
  if (operand !== undefined && isSite(root, operand)) return siteImages(context, operand, flags);
  const { title, source } = await namedSource(context, operand, flags);
  const entries = source.set.images.filter(({ shipped }) => shipped);
  const read = await readPackages(source, entries);
  return { title, ...read, locks: locksOf(root, source.set, entries) };
}

function isSite(root: string, operand: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(operand) && existsSync(join(root, 'deploy-specs', operand));
}

async function namedSource(
  context: CommandContext,
  operand: string | undefined,
  flags: ScanFlags,
): Promise<{ readonly title: string; readonly source: PackageSource }> {
  if (flags.set !== undefined)
    throw new CcpError({
      code: 'usage',
      message: '--set is for a site',
      hint: 'name the set alone',
    });
  if (flags.from === undefined) {
    if (operand !== undefined && !existsSync(operand))
      throw new CcpError({
        code: 'usage',
        message: `${operand} is neither a site nor a file`,
        hint: 'name the registry of a published set with --from',
      });
    if (operand !== undefined && isArchive(operand)) {
      const { place, release } = await bundledRelease(
        operand,
        readTrustedKeys(context.root, flags),
      );
      return { title: release.version ?? operand, source: publishedSet(place, release.set) };
    }
    const source = builtSet(context.root, context.flags.series, operand);
    return { title: operand ?? `the last build of ${source.set.series}`, source };
  }
  if (operand === undefined)
    throw new CcpError({
      code: 'usage',
      message: 'the name of the published set is missing',
      hint: 'name a version, an alias or a digest',
    });
  const { trustedRelease } = await import('#release');
  const { place, keys } = await openReader(context.root, flags);
  const found = await trustedRelease(place, operand, keys);
  return { title: found.version ?? operand, source: publishedSet(place, found.set) };
}

function locksOf(
  root: string,
  set: ImageSet,
  entries: readonly ImageSetEntry[],
): ScannedImages['locks'] {
  const lines = lockLines(root, set);
  return new Map(entries.map((entry) => [entry.digest, { lines, entry }]));
}

/** The images that a site runs, from the sets that list them by digest. */
async function siteImages(
  context: CommandContext,
  name: string,
  flags: ScanFlags,
): Promise<ScannedImages> {
  const site = await runningImages(context, name, flags);
  const missing = new Map(Object.entries(site.images).map(([image, digest]) => [digest, image]));
  const images: ImagePackages[] = [];
  const unchecked: string[] = [];
  const locks = new Map<string, { readonly lines: LockLines; readonly entry: ImageSetEntry }>();
  for await (const source of setsOf(context, name, flags)) {
    const entries = source.set.images.filter(({ digest }) => missing.delete(digest));
    if (entries.length > 0) {
      const read = await readPackages(source, entries);
      images.push(...read.images);
      unchecked.push(...read.unchecked);
      for (const [digest, place] of locksOf(context.root, source.set, entries))
        locks.set(digest, place);
    }
    if (missing.size === 0) break;
  }
  unchecked.push(
    ...[...missing].map(([digest, image]) => `all packages of ${image}: no set lists ${digest}`),
  );
  return { title: `${name}, revision ${site.revision}`, images, unchecked, locks, site };
}

/** Sets that may list a site's images: a file or the last build, else releases, newest first. */
async function* setsOf(
  context: CommandContext,
  name: string,
  flags: ScanFlags,
): AsyncGenerator<PackageSource> {
  const { readSite } = await import('#definitions/deploy');
  if (flags.from === undefined) {
    yield builtSet(context.root, readSite(context.root, name).series, flags.set);
    return;
  }
  const { listVersions, trustedRelease } = await import('#release');
  const { place, keys } = await openReader(context.root, flags);
  const versions = (await listVersions(place)).map(({ text }) => text).toReversed();
  for (const version of flags.set === undefined ? versions : [flags.set]) {
    const { set } = await trustedRelease(place, version, keys);
    yield publishedSet(place, set);
  }
}
