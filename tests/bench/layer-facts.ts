import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';

/** Facts about a stored layer. */
export interface LayerFacts {
  /** Bytes of its tar. */
  readonly unpacked: number;
  /** Number of members, without folders. */
  readonly files: number;
}

/** Reads a layer's blob to its end: tar alone would stop before the padding of the last block. */
export async function layerFacts(blob: string): Promise<LayerFacts> {
  let unpacked = 0;
  const tar = spawn('tar', ['--list', '--ignore-zeros', '--quoting-style=escape'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const names = text(tar.stdout);
  const count = async function* (chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
    for await (const chunk of chunks) {
      unpacked += chunk.length;
      yield chunk;
    }
  };
  await pipeline(createReadStream(blob), createGunzip(), count, tar.stdin);
  return {
    unpacked,
    files: (await names).split('\n').filter((name) => name !== '' && !name.endsWith('/')).length,
  };
}
