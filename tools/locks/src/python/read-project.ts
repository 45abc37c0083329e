import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { CcpError, messageOf } from '#core';
import { readZip } from './zip.ts';

const WANTED =
  /^[^/]+\/(?:PKG-INFO|pyproject\.toml|setup\.cfg|setup\.py|requirements\.txt|[^/]+\/__init__\.py)$|^(?:[^/]+\/){1,3}[^/]+\.egg-info\/requires\.txt$/;
const MAX_FILE = 4 * 1024 * 1024;
const MAX_ENTRIES = 200_000;
const MAX_UNPACKED = 2 * 1024 ** 3;

/** What says how a project is built and what it needs: path below the archive's top folder -> text. */
export type ProjectFiles = ReadonlyMap<string, string>;

/**
 * Reads the few files of a source archive (a tar, gzipped or plain, or a ZIP, with one folder at its top) that describe the
 * project. Nothing is written or run. Raises `python-sdist-invalid` for what is no such archive, or is too large.
 */
export async function readProjectFiles(archive: AsyncIterable<Uint8Array> | Uint8Array, name: string): Promise<ProjectFiles> {
  const refuse = (reason: string, cause?: unknown): CcpError =>
    new CcpError({ code: 'python-sdist-invalid', message: `${name} cannot be read: ${reason}`, cause });
  try {
    return name.endsWith('.zip') ? await fromZip(archive) : await fromTar(archive, name, refuse);
  } catch (thrown) {
    if (thrown instanceof CcpError && thrown.code === 'python-sdist-invalid') throw thrown;
    throw refuse(messageOf(thrown), thrown);
  }
}

async function fromZip(archive: AsyncIterable<Uint8Array> | Uint8Array): Promise<ProjectFiles> {
  const bytes = archive instanceof Uint8Array ? archive : await buffer(archive);
  return new Map([...readZip(bytes, (path) => WANTED.test(path))].map(([path, content]) => [belowTop(path), Buffer.from(content).toString('utf8')]));
}

async function fromTar(archive: AsyncIterable<Uint8Array> | Uint8Array, name: string, refuse: (reason: string) => CcpError): Promise<ProjectFiles> {
  const { extract } = await import('tar-stream');
  const found = new Map<string, string>();
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
      if (wanted) found.set(belowTop(path), Buffer.concat(chunks).toString('utf8'));
      next();
    });
  });
  const source = archive instanceof Uint8Array ? Readable.from([archive]) : Readable.from(archive);
  if (name.endsWith('.tar.gz')) await pipeline(source, createGunzip(), unpack);
  else await pipeline(source, unpack);
  return found;
}

function belowTop(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}
