import { buffer } from 'node:stream/consumers';
import { CcpError, messageOf } from '#core';
import { belowTop, tarTexts } from './tar-texts.ts';
import { readZip } from './zip.ts';

const WANTED =
  /^[^/]+\/(?:PKG-INFO|pyproject\.toml|setup\.cfg|setup\.py|requirements\.txt|[^/]+\/__init__\.py)$|^(?:[^/]+\/){1,3}[^/]+\.egg-info\/requires\.txt$/;

/** What says how a project is built and what it needs: path below the archive's top folder -> text. */
export type ProjectFiles = ReadonlyMap<string, string>;

/**
 * Reads the few files of a source archive (a tar, gzipped or plain, or a ZIP, with one folder at its top) that describe the
 * project. Nothing is written or run. Raises `python-sdist-invalid` for what is no such archive, or is too large.
 */
export async function readProjectFiles(archive: AsyncIterable<Uint8Array> | Uint8Array, name: string): Promise<ProjectFiles> {
  try {
    if (name.endsWith('.zip')) return await fromZip(archive);
    const tar = archive instanceof Uint8Array ? [archive] : archive;
    return await tarTexts(tar, (path) => WANTED.test(path), { gzipped: name.endsWith('.tar.gz') });
  } catch (thrown) {
    throw new CcpError({ code: 'python-sdist-invalid', message: `${name} cannot be read: ${messageOf(thrown)}`, cause: thrown });
  }
}

async function fromZip(archive: AsyncIterable<Uint8Array> | Uint8Array): Promise<ProjectFiles> {
  const bytes = archive instanceof Uint8Array ? archive : await buffer(archive);
  return new Map([...readZip(bytes, (path) => WANTED.test(path))].map(([path, content]) => [belowTop(path), Buffer.from(content).toString('utf8')]));
}
