import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { digestOf, hexOf, parseDigest, type Digest } from '#core';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/**
 * Adds a copy of a stored image with one file replaced to an OCI layout; resolves with its digest.
 */
export async function addBrokenImage(
  store: string,
  image: Digest,
  file: { readonly path: string; readonly text: string },
): Promise<Digest> {
  const blob = (digest: string): string =>
    join(store, 'blobs', 'sha256', hexOf(parseDigest(digest)));
  const read = <T>(digest: string): T => JSON.parse(readFileSync(blob(digest), 'utf8')) as T;
  const add = (bytes: Uint8Array): { readonly digest: Digest; readonly size: number } => {
    const digest = digestOf(bytes);
    writeFileSync(blob(digest), bytes);
    return { digest, size: bytes.length };
  };
  const manifest = read<{ readonly config: Descriptor; readonly layers: readonly Descriptor[] }>(
    image,
  );
  const config = read<{
    readonly rootfs: { readonly diff_ids: readonly string[] };
    readonly history?: readonly object[];
  }>(manifest.config.digest);
  const layer = await layerOf(file.path, file.text);
  const history =
    config.history === undefined ? {} : { history: [...config.history, { created_by: 'a test' }] };
  const brokenConfig = {
    ...config,
    ...history,
    rootfs: { ...config.rootfs, diff_ids: [...config.rootfs.diff_ids, digestOf(layer)] },
  };
  const layers = [...manifest.layers, { ...manifest.layers[0], ...add(gzipSync(layer)) }];
  return add(
    json({ ...manifest, config: { ...manifest.config, ...add(json(brokenConfig)) }, layers }),
  ).digest;
}

async function layerOf(path: string, text: string): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: path, mode: 0o644, mtime: new Date(0) }, text);
  tar.finalize();
  return Buffer.concat(await Array.fromAsync(tar as AsyncIterable<Buffer>));
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
