import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { CcpError } from '#core';

const WANTED =
  /^[^/]+\/(?:PKG-INFO|pyproject\.toml|setup\.cfg|setup\.py|requirements\.txt)$|^(?:[^/]+\/){1,3}[^/]+\.egg-info\/requires\.txt$/;
const MAX_FILE = 4 * 1024 * 1024;
const MAX_ENTRIES = 200_000;
const MAX_UNPACKED = 2 * 1024 ** 3;

/** What says how a project is built and what it needs: path below the archive's top folder -> text. */
export type ProjectFiles = ReadonlyMap<string, string>;

/**
 * Reads the few files of a source archive (a tar, gzipped or plain, with one folder at its top) that describe the project.
 * Nothing is written or run. Raises `python-sdist-invalid` for what is no tar, or is too large.
 */
export async function readProjectFiles(archive: AsyncIterable<Uint8Array> | Uint8Array, name: string): Promise<ProjectFiles> {
  const { extract } = await import('tar-stream');
  const found = new Map<string, string>();
  const refuse = (reason: string, cause?: unknown): CcpError =>
    new CcpError({ code: 'python-sdist-invalid', message: `${name} cannot be read: ${reason}`, cause });
  const unpack = extract();
  let entries = 0;
  let unpacked = 0;
  unpack.on('entry', (header, stream, next) => {
    entries += 1;
    unpacked += header.size ?? 0;
    if (entries > MAX_ENTRIES || unpacked > MAX_UNPACKED) return void unpack.destroy(refuse('it holds too much'));
    const path = header.name.replace(/^\.\//, '');
    const wanted = header.type === 'file' && WANTED.test(path) && (header.size ?? 0) <= MAX_FILE;
    const chunks: Uint8Array[] = [];
    stream.on('data', (chunk) => {
      if (wanted) chunks.push(chunk as Uint8Array);
    });
    stream.on('end', () => {
      if (wanted) found.set(path.slice(path.indexOf('/') + 1), Buffer.concat(chunks).toString('utf8'));
      next();
    });
  });
  const source = archive instanceof Uint8Array ? Readable.from([archive]) : Readable.from(archive);
  try {
    if (name.endsWith('.tar.gz')) await pipeline(source, createGunzip(), unpack);
    else await pipeline(source, unpack);
  } catch (thrown) {
    if (thrown instanceof CcpError) throw thrown;
    throw refuse(thrown instanceof Error ? thrown.message : String(thrown), thrown);
  }
  return found;
}
