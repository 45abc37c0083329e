import pLimit from 'p-limit';
import { CcpError, codeOf, messageOf, throwFindings, type Digest } from '#core';
import { rereadDamaged } from '#ports';
import { manifestParts, type BlobDescriptor } from '../oci.ts';
import { repositoryOf, setsRepository, type Place } from './place.ts';
import type { FoundSet } from './verify-set.ts';

const REQUESTS = 16;
/** Reads that the registry may refuse before it is at fault, and not the content: each is slow. */
const MAX_FAILED = 8;

export interface CheckOptions {
  /** Reads every byte, instead of asking for the sizes of blobs. */
  readonly deep?: boolean;
  readonly onStep?: (step: string) => void;
}

/** The number of checked things. */
export interface CheckedContent {
  readonly manifests: number;
  readonly blobs: number;
  /** Bytes of blobs that were read; 0 unless the check is deep. */
  readonly bytes: number;
}

/** A manifest of a set; `image` is undefined for the set itself. */
interface Wanted {
  readonly image: string | undefined;
  readonly kind: string;
  readonly repository: string;
  readonly digest: Digest;
}

/**
 * Checks that the registry has every manifest of a set, and every blob that these manifests name,
 * with its size; a deep check reads the bytes of each blob. Throws `set-incomplete` with all
 * problems, one error for each image, and `registry-failed` if the registry refuses many reads.
 */
export async function checkSetContent(
  place: Place,
  found: Pick<FoundSet, 'set' | 'digest'>,
  { deep = false, onStep = () => undefined }: CheckOptions = {},
): Promise<CheckedContent> {
  const limit = pLimit(REQUESTS);
  const walk = new Walk(place, deep, limit);
  const wanted: readonly Wanted[] = [
    ...found.set.images.flatMap(({ name: image, digest, app, statements }): readonly Wanted[] => {
      const repository = repositoryOf(place, image);
      return [
        { image, kind: 'manifest', repository, digest },
        ...(app === undefined ? [] : [{ image, kind: 'app spec', repository, digest: app.digest }]),
        ...Object.entries(statements ?? {}).map(([kind, statement]: [string, Digest]) => ({
          image,
          kind: `${kind} statement`,
          repository,
          digest: statement,
        })),
      ];
    }),
    { image: undefined, kind: 'manifest', repository: setsRepository(place), digest: found.digest },
  ];
  if (deep) onStep(`reading all content of ${place.registry.host}/${place.prefix}`);
  try {
    await Promise.all(wanted.map((each) => walk.check(each)));
  } finally {
    limit.clearQueue();
  }
  throwFindings(walk.findings());
  return { manifests: wanted.length, blobs: walk.blobs.size, bytes: walk.bytes };
}

type Limit = <T>(call: () => Promise<T>) => Promise<T>;

/** Follows manifests to their blobs, and collects problems. */
class Walk {
  readonly #place: Place;
  readonly #deep: boolean;
  readonly #limit: Limit;
  /** `REPOSITORY@DIGEST` -> the problem of this blob, or undefined. */
  readonly blobs = new Map<string, Promise<string | undefined>>();
  /** The checks of the bytes of blobs: once for all repositories, which share them. */
  readonly #read = new Map<Digest, Promise<string | undefined>>();
  readonly #problems = new Map<string, { readonly title: string; readonly texts: string[] }>();
  bytes = 0;
  #failed = 0;

  constructor(place: Place, deep: boolean, limit: Limit) {
    this.#place = place;
    this.#deep = deep;
    this.#limit = limit;
  }

  async check(wanted: Wanted): Promise<void> {
    const { repository, digest, kind } = wanted;
    const blobs = await this.#limit(() => this.#blobsOf(wanted));
    if (typeof blobs === 'string') return this.#report(wanted, `${kind} ${digest} ${blobs}`);
    await Promise.all(
      blobs.map(async ({ blob, role }) => {
        const name = `${repository}@${blob.digest}`;
        const check = this.blobs.get(name) ?? this.#limit(() => this.#problemOf(repository, blob));
        this.blobs.set(name, check);
        const problem = await check;
        if (problem !== undefined) this.#report(wanted, `${role} ${blob.digest} ${problem}`);
      }),
    );
  }

  /** The blobs of a manifest, or the problem of the manifest. */
  async #blobsOf({
    repository,
    digest,
  }: Wanted): Promise<
    readonly { readonly role: string; readonly blob: BlobDescriptor }[] | string
  > {
    try {
      const manifest = await this.#place.registry.readManifest(repository, digest);
      if (manifest === undefined) return 'is missing';
      const { config, layers } = manifestParts(manifest.bytes);
      if (config === undefined) return 'has no config';
      return [{ role: 'config', blob: config }, ...layers.map((blob) => ({ role: 'layer', blob }))];
    } catch (thrown) {
      const problem = this.#problemIn(thrown);
      if (problem !== undefined) return problem;
      if (thrown instanceof CcpError) throw thrown;
      return `is invalid: ${messageOf(thrown)}`;
    }
  }

  async #problemOf(repository: string, blob: BlobDescriptor): Promise<string | undefined> {
    const found = await this.#place.registry.findBlob(repository, blob.digest);
    if (found === undefined) return 'is missing';
    const { size = blob.size } = found;
    if (size !== blob.size) return `has ${size} bytes instead of ${blob.size}`;
    if (!this.#deep) return undefined;
    const read = this.#read.get(blob.digest) ?? this.#readAll(repository, blob);
    this.#read.set(blob.digest, read);
    return read;
  }

  async #readAll(repository: string, blob: BlobDescriptor): Promise<string | undefined> {
    try {
      await rereadDamaged(async () => {
        for await (const _ of await this.#place.registry.readBlob(repository, blob));
      });
      this.bytes += blob.size;
      return undefined;
    } catch (thrown) {
      const problem = this.#problemIn(thrown);
      if (problem === undefined) throw thrown;
      return problem;
    }
  }

  /** The problem of the content that could not be read; undefined if the registry is at fault. */
  #problemIn(thrown: unknown): string | undefined {
    const code = codeOf(thrown);
    if (code === 'registry-damaged') return `is damaged: ${messageOf(thrown)}`;
    if (code !== 'registry-failed') return undefined;
    this.#failed += 1;
    // Some registries find the damage themselves, and answer with an error.
    return this.#failed > MAX_FAILED ? undefined : `cannot be read: ${messageOf(thrown)}`;
  }

  #report({ image, repository }: Wanted, text: string): void {
    const known = this.#problems.get(repository);
    if (known !== undefined) return void (known.texts.includes(text) || known.texts.push(text));
    const at = `${this.#place.registry.host}/${repository}`;
    const title = image === undefined ? `the image set in ${at}` : `image ${image} in ${at}`;
    this.#problems.set(repository, { title, texts: [text] });
  }

  /** One error for each image with problems, sorted. */
  findings(): readonly CcpError[] {
    return [...this.#problems.values()]
      .sort((a, b) => (a.title < b.title ? -1 : 1))
      .map(
        ({ title, texts }) =>
          new CcpError({
            code: 'set-incomplete',
            message: `${title}: ${[...texts].sort().join('; ')}`,
            hint: 'publish the set again: ccp publish',
          }),
      );
  }
}
