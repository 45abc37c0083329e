import { createHash } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { mkdir, mkdtemp, open, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-fs';
import { canonicalJson, CcpError, fileFault, hexOf, type Digest, type Json } from '#core';
import { rereadDamaged, type Descriptor } from '#ports';
import { MANIFEST_TYPE, manifestParts } from '../oci.ts';
import { repositoryOf, setsRepository, type Place } from '../publish/place.ts';
import type { FoundSet } from '../publish/verify-set.ts';
import { BUNDLE_TYPE } from '../sign/envelope.ts';
import type { PublicKey } from '../sign/keys.ts';
import { statementEntries, STATEMENT_TYPES } from '../statements/set-statements.ts';
import { readBundle, type BundleContent } from './read-bundle.ts';
import {
  trustedSimpleTag,
  trustedStatements,
  type SignatureManifest,
} from './trusted-signatures.ts';

export interface BundleRequest {
  readonly place: Place;
  readonly found: Pick<FoundSet, 'set' | 'digest' | 'size'>;
  /** Signatures of other keys are left out. */
  readonly keys: readonly PublicKey[];
  /** Name of the set in the archive, such as its version. */
  readonly name: string;
  /** Path of the archive. */
  readonly file: string;
  readonly onStep?: (step: string) => void;
  /** Cancels the work; nothing is left then. */
  readonly signal?: AbortSignal;
}

/**
 * Writes an image set with its images, app specs and signatures to one archive: an OCI layout in a
 * tar, without times. The archive gets its name after it was read back and every digest checked.
 * Throws `cancelled`, and `file-unwritable` before it copies anything.
 */
export async function writeBundle(request: BundleRequest): Promise<BundleContent> {
  const { file } = request;
  const folder = await scratchBeside(file);
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  // A second Ctrl-C ends the process without a `finally`.
  process.once('exit', remove);
  try {
    return await writeInto(folder, request);
  } catch (thrown) {
    throw fileFault(thrown, 'write', file);
  } finally {
    process.off('exit', remove);
    remove();
  }
}

/** Makes a folder next to the file to write. Throws `file-unwritable`. */
async function scratchBeside(file: string): Promise<string> {
  try {
    if (file.endsWith('/') || (await isFolder(file)))
      throw Object.assign(new Error(), { code: 'EISDIR' });
    return await mkdtemp(join(dirname(file), '.ccp-bundle-'));
  } catch (thrown) {
    throw fileFault(thrown, 'write', file, `create its folder first: ${dirname(file)}`);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function writeInto(
  folder: string,
  { place, found, keys, name, file, onStep = () => undefined, signal }: BundleRequest,
): Promise<BundleContent> {
  const check = (): void => {
    if (signal?.aborted === true)
      throw new CcpError({ code: 'cancelled', message: `${file} was not written` });
  };
  const layout = join(folder, 'layout');
  await mkdir(join(layout, 'blobs', 'sha256'), { recursive: true });
  const entries: Descriptor[] = [];
  const collector = new Collector(place, keys, join(layout, 'blobs', 'sha256'), entries, check);
  for (const { name: image, version, digest, app, statements } of found.set.images) {
    onStep(`copying ${image}`);
    const repository = repositoryOf(place, image);
    await collector.add(repository, digest, `${image}:${version}`);
    if (app !== undefined)
      await collector.add(repository, app.digest, `${image}:app-${app.digest.slice(7, 39)}`);
    for (const [kind, statement] of statementEntries(statements))
      await collector.addStatement(repository, statement, STATEMENT_TYPES[kind]);
  }
  await collector.add(setsRepository(place), found.digest, `ccp.sets:${name}`);
  await writeFile(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  const index = { schemaVersion: 2, manifests: entries } as unknown as Json;
  await writeFile(join(layout, 'index.json'), canonicalJson(index));
  const part = join(folder, 'archive.tar');
  onStep('writing the archive');
  check();
  await pipeline(
    pack(layout, {
      sort: true,
      map: (header) => ({ ...header, mtime: new Date(0), uid: 0, gid: 0, uname: '', gname: '' }),
    } as Parameters<typeof pack>[1]) as unknown as AsyncIterable<Buffer>,
    checked(check),
    createWriteStream(part),
  );
  onStep('reading the archive back');
  check();
  const content = await readBundle(part);
  await flush(part);
  check();
  await rename(part, file);
  return content;
}

/** Passes chunks on; `check` throws after a cancellation. */
function checked(check: () => void): (chunks: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* (chunks) {
    for await (const chunk of chunks) {
      check();
      yield chunk;
    }
  };
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Copies manifests with their blobs and signatures into a folder of blobs. */
class Collector {
  readonly #place: Place;
  readonly #keys: readonly PublicKey[];
  readonly #folder: string;
  readonly #entries: Descriptor[];
  readonly #check: () => void;
  readonly #written = new Set<string>();

  /** `check` throws after a cancellation. */
  constructor(
    place: Place,
    keys: readonly PublicKey[],
    folder: string,
    entries: Descriptor[],
    check: () => void,
  ) {
    this.#place = place;
    this.#keys = keys;
    this.#folder = folder;
    this.#entries = entries;
    this.#check = check;
  }

  /** Adds a manifest by name, its blobs, and trusted statements and signatures about it. */
  async add(repository: string, digest: Digest, name: string): Promise<void> {
    this.#entries.push(named(digest, await this.#manifest(repository, digest), name));
    const subject = { repository, digest };
    for (const statement of await trustedStatements(this.#place, subject, this.#keys)) {
      await this.#signatures(statement);
      // A name or another annotation of the registry could be that of an image.
      this.#entries.push({
        mediaType: MANIFEST_TYPE,
        digest: statement.digest,
        size: statement.manifest.length,
        artifactType: BUNDLE_TYPE,
      });
    }
    const simple = await trustedSimpleTag(this.#place, subject, this.#keys);
    if (simple === undefined) return;
    await this.#signatures(simple);
    const tag = `${name.split(':')[0]}:sha256-${hexOf(digest)}.sig`;
    this.#entries.push(named(simple.digest, simple.manifest.length, tag));
  }

  /** Adds an unsigned statement, which the signature of the set proves. */
  async addStatement(repository: string, digest: Digest, artifactType: string): Promise<void> {
    const size = await this.#manifest(repository, digest);
    this.#entries.push({ mediaType: MANIFEST_TYPE, digest, size, artifactType });
  }

  async #signatures({ digest, manifest, blobs }: SignatureManifest): Promise<void> {
    await this.#write(digest, [manifest]);
    for (const [blob, bytes] of blobs) await this.#write(blob, [bytes]);
  }

  /** Copies a manifest and its blobs; resolves with its size. */
  async #manifest(repository: string, digest: Digest): Promise<number> {
    const { registry } = this.#place;
    const found = await registry.readManifest(repository, digest);
    if (found === undefined)
      throw new CcpError({
        code: 'set-incomplete',
        message: `${registry.host} lacks ${repository}@${digest}`,
        hint: 'publish the set again: ccp publish',
      });
    await this.#write(digest, [found.bytes]);
    const { config, layers } = manifestParts(found.bytes);
    for (const blob of [...(config === undefined ? [] : [config]), ...layers])
      if (!this.#written.has(blob.digest))
        await rereadDamaged(async () =>
          this.#write(blob.digest, await registry.readBlob(repository, blob)),
        );
    return found.bytes.length;
  }

  async #write(
    digest: Digest,
    data: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    if (this.#written.has(digest)) return;
    const path = join(this.#folder, hexOf(digest));
    const hash = createHash('sha256');
    const check = this.#check;
    check();
    await writeFile(
      path,
      (async function* () {
        for await (const chunk of data) {
          check();
          hash.update(chunk);
          yield chunk;
        }
      })(),
    );
    if (hash.digest('hex') !== hexOf(digest))
      throw new CcpError({
        code: 'registry-invalid',
        message: `${this.#place.registry.host} sent other bytes for ${digest} (${(await stat(path)).size} bytes)`,
      });
    this.#written.add(digest);
  }
}

function named(digest: Digest, size: number, name: string): Descriptor {
  return {
    mediaType: MANIFEST_TYPE,
    digest,
    size,
    annotations: { 'org.opencontainers.image.ref.name': name },
  };
}
