import { closeSync, mkdirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, counted, fileFault, hexOf } from '#core';
import type { Site } from '#definitions';
import { openMemo } from '#host';
import {
  repositoryOf,
  setSignature,
  trustedRelease,
  type ImageSet,
  type ImageSetEntry,
  type Place,
  type PublicKey,
  type TrustedRelease,
} from '#release';
import type { Descriptor } from '#ports';
import { openStore } from '#store';
import type { CommandContext } from '../../command.ts';
import { statePaths } from '../../state/paths.ts';
import { writeNamed } from '../../state/named-file.ts';
import { signatureFile, siteKeys } from './site-keys.ts';
import { trustedKeys, type TrustFlags } from '../registry-place.ts';
import { readSettings } from '../settings.ts';

/** Context of the kubeconfig of `ccp up`; its node pulls from the store of the workspace. */
export const UP_CONTEXT = 'ccp';

/** Flags of commands that take a set as a file or a bundle. */
export interface BundleSetFlags extends TrustFlags {
  readonly set?: string;
  readonly context?: string;
}

/** True for a tar, such as `ccp release bundle` writes. Throws the errors of `fileFault`. */
export function isArchive(file: string): boolean {
  try {
    const handle = openSync(file, 'r');
    try {
      const header = Buffer.alloc(5);
      return readSync(handle, header, 0, 5, 257) === 5 && header.toString() === 'ustar';
    } finally {
      closeSync(handle);
    }
  } catch (thrown) {
    throw fileFault(thrown, 'read', file, 'use an image set, or a bundle of `ccp release bundle`');
  }
}

/**
 * The flags with the set of a bundle as a file with its signature, if `--set` names a bundle. A key
 * of the flags, the settings or the site must have signed the set. With `load`, images are copied
 * to the store of the workspace, from which the cluster of `ccp up` pulls.
 */
export async function withBundleSet<T extends BundleSetFlags>(
  { root, output }: Pick<CommandContext, 'root' | 'output'>,
  readSite: () => Site | undefined,
  flags: T,
  { load }: { readonly load: boolean },
): Promise<T> {
  const file = flags.set;
  if (file === undefined || !isArchive(file)) return flags;
  const site = readSite();
  const paths = statePaths(root);
  const settings = readSettings(root, openMemo(paths.memo));
  const named = trustedKeys(settings, flags);
  const keys = named.length > 0 || site === undefined ? named : siteKeys(root, site);
  const { place, release } = await bundledRelease(file, keys);
  const name = `${file} (${release.version ?? release.digest}, signed by ${release.key.name})`;
  const toLoad = load && (flags.context ?? site?.cluster.context ?? UP_CONTEXT) === UP_CONTEXT;
  if (toLoad) {
    const loaded = await copyToStore(placedImages(place), release.set, paths.store);
    output.info(`${name}: ${counted(loaded, 'image')} copied to the store`);
  } else output.info(name);
  const folder = join(paths.folder, 'bundles');
  mkdirSync(folder, { recursive: true });
  const set = join(folder, `${hexOf(release.digest).slice(0, 32)}.json`);
  writeNamed(signatureFile(set), await setSignature(place, release.digest, keys));
  writeNamed(set, release.text);
  return { ...flags, set };
}

/** The one release in a bundle. Throws `bundle-invalid` and `untrusted`. */
export async function bundledRelease(
  file: string,
  keys: readonly PublicKey[],
): Promise<{ readonly place: Place; readonly release: TrustedRelease }> {
  const { openArchive } = await import('#store');
  const { registry, names } = await openArchive(file, 'ccp');
  const place = { registry, prefix: 'ccp' };
  const sets = names.filter((name) => /^ccp\.sets:(?!sha256-[0-9a-f]{64}\.sig$)/.test(name));
  const [set] = sets;
  if (set === undefined || sets.length > 1)
    throw new CcpError({
      code: 'bundle-invalid',
      message: `${file} has ${counted(sets.length, 'image set')} instead of one`,
      hint: 'write it with `ccp release bundle`',
    });
  return { place, release: await trustedRelease(place, set.slice('ccp.sets:'.length), keys) };
}

/** Manifests and blobs of images, from anywhere. */
export interface ImageBytes {
  manifest(image: ImageSetEntry): Promise<Uint8Array>;
  blob(
    image: ImageSetEntry,
    blob: Pick<Descriptor, 'mediaType' | 'digest' | 'size'>,
  ): Promise<AsyncIterable<Uint8Array>>;
}

/** The images of a registry or bundle. Reading throws `bundle-invalid` for a missing manifest. */
export function placedImages(place: Place): ImageBytes {
  const { registry } = place;
  return {
    manifest: async ({ name, digest }) => {
      const manifest = await registry.readManifest(repositoryOf(place, name), digest);
      if (manifest !== undefined) return manifest.bytes;
      throw new CcpError({
        code: 'bundle-invalid',
        message: `${registry.host} lacks the manifest ${digest} of ${name}`,
        hint: 'write it again: ccp release bundle',
      });
    },
    blob: async ({ name }, blob) => await registry.readBlob(repositoryOf(place, name), blob),
  };
}

/** Copies the shipped images of a set that the store lacks; resolves with their number. */
export async function copyToStore(
  from: ImageBytes,
  { series, platform, images }: Pick<ImageSet, 'series' | 'platform' | 'images'>,
  folder: string,
): Promise<number> {
  const store = await openStore({ folder });
  let loaded = 0;
  try {
    for (const entry of images.filter(({ shipped }) => shipped)) {
      const { name: image, fingerprint, contentKey = '', digest, size, compressedSize } = entry;
      if (store.byFingerprint(fingerprint)?.digest === digest) continue;
      await store.adopt(
        { image, series, platform, fingerprint, contentKey, digest, size, compressedSize },
        await from.manifest(entry),
        (blob) => from.blob(entry, blob),
      );
      loaded += 1;
    }
  } finally {
    await store.close();
  }
  return loaded;
}
