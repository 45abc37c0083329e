import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scanTar, type TarMember, type TarSource } from '#formats/tar';
import { fileSource, unpackLayer } from './unpack-layer.ts';

/** Unpacked layers of more bytes are refused. */
const LIMIT = 64 * 2 ** 30;

/**
 * Calls `read` with the members of the layer in the file `layer`, which is unpacked to a temporary
 * file until then. Throws `layer-invalid` and file system errors.
 */
export async function scanLayer<T>(
  layer: string,
  read: (members: readonly TarMember[], source: TarSource) => T | Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'ccp-layer-'));
  try {
    const spool = await open(join(folder, 'layer'), 'wx+');
    try {
      await unpackLayer(layer, spool, LIMIT);
      const source = fileSource(spool.fd);
      return await read(scanTar(source), source);
    } finally {
      await spool.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
