import { buffer } from 'node:stream/consumers';
import { CcpError, messageOf } from '#core';
import { belowTop, tarTexts } from './tar-texts.ts';
import { readZip } from '#formats';

const WANTED =
  /^[^/]+\/(?:PKG-INFO|pyproject\.toml|setup\.cfg|setup\.py|requirements\.txt|[^/]+\/__init__\.py)$|^(?:[^/]+\/){1,3}[^/]+\.egg-info\/requires\.txt$/;

/** Maximum size in bytes of all files read from one archive. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Files with a project's metadata and build requirements: path below the archive's top folder ->
 * text.
 */
export type ProjectFiles = ReadonlyMap<string, string>;

/**
 * Reads the metadata files of a source archive (a tar, gzipped or plain, or a ZIP, with one top
 * folder). Nothing is written or run. Raises `python-sdist-invalid` if the archive is damaged or
 * too large.
 */
export async function readProjectFiles(
  archive: AsyncIterable<Uint8Array> | Uint8Array,
  name: string,
): Promise<ProjectFiles> {
  try {
    if (name.endsWith('.zip')) return await fromZip(archive);
    const tar = archive instanceof Uint8Array ? [archive] : archive;
    return await tarTexts(tar, (path) => WANTED.test(path), { gzipped: name.endsWith('.tar.gz') });
  } catch (thrown) {
    throw new CcpError({
      code: 'python-sdist-invalid',
      message: `${name} cannot be read: ${messageOf(thrown)}`,
      cause: thrown,
    });
  }
}

async function fromZip(archive: AsyncIterable<Uint8Array> | Uint8Array): Promise<ProjectFiles> {
  const bytes = archive instanceof Uint8Array ? archive : await buffer(archive);
  return new Map(
    [...readZip(bytes, (path) => WANTED.test(path), MAX_BYTES)].map(([path, content]) => [
      belowTop(path),
      Buffer.from(content).toString('utf8'),
    ]),
  );
}
