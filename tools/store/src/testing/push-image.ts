import { gzipSync } from 'node:zlib';
import {
  digestOf,
  imageName,
  omitUndefined,
  platform,
  series,
  sha256,
  type Digest,
  type Fingerprint,
} from '#core';
import type { ImageIdentity, ImageStore, StoredImage } from '#ports';
import { connectRegistry } from '../client/connect-registry.ts';

/** An identity for tests; its fingerprint is the hash of `name` and `salt`. */
export function testIdentity(name: string, salt = '', base?: Digest): ImageIdentity {
  return {
    image: imageName(name),
    series: series('2026.1'),
    platform: platform('linux/amd64'),
    fingerprint: sha256(`${name} ${salt}`) as string as Fingerprint,
    contentKey: `key of ${name} ${salt}`,
    labels: { 'org.opencontainers.image.title': name },
    ...omitUndefined({ base }),
  };
}

/** Members of a pushed image's configuration. */
export interface PushedConfig {
  readonly config?: object;
  readonly architecture?: string;
  readonly diffIds?: readonly Digest[];
  readonly history?: readonly object[];
}

/** The result of a push. */
export interface PushResult {
  /** Number of layers that were uploaded. */
  readonly sent: number;
  /** Digest of the manifest. */
  readonly digest: Digest;
}

/** Pushes an image like `pushTestImage`, then seals it. */
export async function pushAndSeal(
  store: ImageStore,
  identity: ImageIdentity,
  tars: readonly Uint8Array[],
  pushed: PushedConfig = {},
): Promise<StoredImage> {
  const { digest } = await pushTestImage(store, identity, tars, pushed);
  return store.seal(identity, digest);
}

/** Pushes layers (plain tars) to the store like an engine. */
export async function pushTestImage(
  store: ImageStore,
  identity: ImageIdentity,
  tars: readonly Uint8Array[],
  pushed: PushedConfig = {},
): Promise<PushResult> {
  return pushTo(store, store.incoming(identity), tars, pushed);
}

/** As `pushTestImage`, to a reference from `incoming`. */
export async function pushTo(
  store: ImageStore,
  reference: string,
  tars: readonly Uint8Array[],
  pushed: PushedConfig = {},
): Promise<PushResult> {
  const [repository = '', tag = ''] = reference.slice(store.address.length + 1).split(':');
  const registry = connectRegistry({ host: store.address, credentials: () => store.login });
  const put = async (bytes: Uint8Array): Promise<boolean> => {
    if (await registry.hasBlob(repository, digestOf(bytes))) return false;
    await registry.writeBlob(repository, digestOf(bytes), bytes.length, async function* () {
      yield bytes;
    });
    return true;
  };
  let sent = 0;
  const layers = [];
  for (const tar of tars) {
    const layer = gzipSync(tar, { level: 1 });
    if (await put(layer)) sent += 1;
    layers.push({
      mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
      digest: digestOf(layer),
      size: layer.length,
    });
  }
  const {
    architecture = 'amd64',
    config = {},
    history,
    diffIds = tars.map((tar) => digestOf(tar)),
  } = pushed;
  const text = JSON.stringify({
    architecture,
    os: 'linux',
    created: new Date().toISOString(),
    docker_version: '20.10',
    config,
    history,
    rootfs: { type: 'layers', diff_ids: diffIds },
  });
  await put(Buffer.from(text));
  const mediaType = 'application/vnd.docker.distribution.manifest.v2+json';
  const manifest = {
    schemaVersion: 2,
    mediaType,
    config: {
      mediaType: 'application/vnd.docker.container.image.v1+json',
      digest: digestOf(text),
      size: Buffer.byteLength(text),
    },
    layers,
  };
  const bytes = Buffer.from(JSON.stringify(manifest));
  return { sent, digest: await registry.writeManifest(repository, tag, mediaType, bytes) };
}
