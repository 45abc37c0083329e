import { CcpError, hexOf, mapLimited, type Digest } from '#core';
import { rereadDamaged } from '#ports';
import {
  trustedSimpleTag,
  trustedStatements,
  type SignatureManifest,
} from '../bundle/trusted-signatures.ts';
import { MANIFEST_TYPE, manifestParts } from '../oci.ts';
import { writeTagOnce } from '../publish/decide-tag.ts';
import { readBack, repositoryOf, setsRepository, type Place } from '../publish/place.ts';
import { inputsTag, setTag } from '../publish/set-artifact.ts';
import type { PublicKey } from '../sign/keys.ts';
import type { ImageSetEntry } from '../types.ts';
import { appSpecTag } from '../publish/publish-app-spec.ts';
import type { TrustedRelease } from './releases.ts';

/** Manifests that are copied at a time. */
const COPIES = 4;

export interface MirrorRequest {
  readonly from: Place;
  readonly to: Place;
  readonly release: Pick<TrustedRelease, 'set' | 'digest' | 'version'>;
  /** Signatures of other keys are left out. */
  readonly keys: readonly PublicKey[];
  readonly onStep?: (step: string) => void;
}

/** The number of copied things that the other registry did not have. */
export interface Mirrored {
  readonly manifests: number;
  /** Bytes of copied blobs. */
  readonly bytes: number;
}

/**
 * Copies a release to another registry, with its images, app specs, statements and signatures; the
 * version is named last. Content that the other registry has is not copied. Throws `release-exists`
 * if the version has another set there.
 */
export async function mirrorRelease(request: MirrorRequest): Promise<Mirrored> {
  const { from, to, release, keys, onStep = () => undefined } = request;
  const { set, digest, version } = release;
  const sets = setsRepository(to);
  const checkVersion = async (): Promise<void> => {
    const taken = version && (await to.registry.manifestDigest(sets, version));
    if (taken === undefined || taken === digest) return;
    throw new CcpError({
      code: 'release-exists',
      message: `${to.registry.host}/${sets}:${version} is ${taken}; a released name never moves`,
      hint: 'mirror to another path, or find out who released the other set',
    });
  };
  await checkVersion();
  const copier = new Copier(from, to, keys);
  onStep(`copying ${set.images.length} images to ${to.registry.host}/${to.prefix}`);
  // Images without parents first: others mount their layers.
  for (const group of [set.images.filter(isBase), set.images.filter((entry) => !isBase(entry))])
    await mapLimited(group, COPIES, (entry) => copyImage(copier, entry));
  await copier.add('ccp.sets', digest, [setTag(set, digest), inputsTag(set.images)]);
  if (version !== undefined) await copier.tagOnce('ccp.sets', digest, version);
  // Another run may have named its set meanwhile.
  await checkVersion();
  return { manifests: copier.manifests, bytes: copier.bytes };
}

function isBase({ parents }: ImageSetEntry): boolean {
  return Object.keys(parents).length === 0;
}

async function copyImage(
  copier: Copier,
  { name, digest, version, app, statements }: ImageSetEntry,
): Promise<void> {
  await copier.add(name, digest, []);
  for (const statement of Object.values(statements ?? {}) as readonly Digest[])
    await copier.add(name, statement, []);
  if (app !== undefined) await copier.add(name, app.digest, [appSpecTag(app)]);
  await copier.tagOnce(name, digest, version);
}

/** Copies manifests with their blobs and trusted signatures, by the last part of a repository. */
class Copier {
  readonly #from: Place;
  readonly #to: Place;
  readonly #keys: readonly PublicKey[];
  /** Blobs in the other registry, and a repository that has them. */
  readonly #owners = new Map<Digest, string>();
  manifests = 0;
  bytes = 0;

  constructor(from: Place, to: Place, keys: readonly PublicKey[]) {
    this.#from = from;
    this.#to = to;
    this.#keys = keys;
  }

  /** Copies a manifest and its signatures, and then gives it tags that do not exist yet. */
  async add(name: string, digest: Digest, tags: readonly string[]): Promise<void> {
    const source = repositoryOf(this.#from, name);
    const manifest = await this.#from.registry.readManifest(source, digest);
    if (manifest === undefined)
      throw new CcpError({
        code: 'set-incomplete',
        message: `${this.#from.registry.host} lacks ${source}@${digest}`,
        hint: 'publish the set again: ccp publish',
      });
    const { config, layers } = manifestParts(manifest.bytes);
    for (const blob of [...(config === undefined ? [] : [config]), ...layers])
      await this.#blob(name, blob.digest, blob.size, () =>
        this.#from.registry.readBlob(source, blob),
      );
    await this.#manifest(name, digest, manifest.bytes);
    const subject = { repository: source, digest };
    for (const statement of await trustedStatements(this.#from, subject, this.#keys)) {
      await this.#signatures(name, statement);
      await this.#manifest(name, statement.digest, statement.manifest);
    }
    const simple = await trustedSimpleTag(this.#from, subject, this.#keys);
    if (simple !== undefined) {
      await this.#signatures(name, simple);
      await this.#manifest(name, simple.digest, simple.manifest);
      await this.tag(name, simple.digest, `sha256-${hexOf(digest)}.sig`);
    }
    for (const tag of tags) await this.tag(name, digest, tag);
  }

  /** Gives a copied manifest a tag, unless the tag exists. */
  async tag(name: string, digest: Digest, tag: string): Promise<void> {
    const { registry } = this.#to;
    const repository = repositoryOf(this.#to, name);
    if ((await registry.manifestDigest(repository, tag)) !== undefined) return;
    const manifest = await registry.readManifest(repository, digest);
    if (manifest !== undefined)
      await registry.writeManifest(repository, tag, MANIFEST_TYPE, manifest.bytes);
    await readBack(registry, repository, tag, digest);
  }

  /** Gives a copied manifest a tag for which builders and releases race, unless one was first. */
  async tagOnce(name: string, digest: Digest, tag: string): Promise<void> {
    const { registry } = this.#to;
    const repository = repositoryOf(this.#to, name);
    const manifest = await registry.readManifest(repository, digest);
    if (manifest === undefined) return readBack(registry, repository, digest, digest);
    await writeTagOnce({ registry, repository, tag, manifest: manifest.bytes });
  }

  async #manifest(name: string, digest: Digest, bytes: Uint8Array): Promise<void> {
    const { registry } = this.#to;
    const repository = repositoryOf(this.#to, name);
    if ((await registry.manifestDigest(repository, digest)) === digest) return;
    await registry.writeManifest(repository, digest, MANIFEST_TYPE, bytes);
    await readBack(registry, repository, digest, digest);
    this.manifests += 1;
  }

  async #signatures(name: string, { blobs }: SignatureManifest): Promise<void> {
    for (const [digest, bytes] of blobs)
      await this.#blob(name, digest, bytes.length, async () => chunkOf(bytes));
  }

  async #blob(
    name: string,
    digest: Digest,
    size: number,
    read: () => Promise<AsyncIterable<Uint8Array>>,
  ): Promise<void> {
    const { registry } = this.#to;
    const repository = repositoryOf(this.#to, name);
    if (await registry.hasBlob(repository, digest)) {
      this.#owners.set(digest, repository);
      return;
    }
    const owner = this.#owners.get(digest);
    if (owner !== undefined && (await registry.mountBlob(repository, digest, owner))) return;
    await rereadDamaged(() =>
      registry.writeBlob(repository, digest, size, async function* () {
        yield* await read();
      }),
    );
    this.#owners.set(digest, repository);
    this.bytes += size;
  }
}

async function* chunkOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
