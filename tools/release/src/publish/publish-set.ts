import { CcpError, counted, isDigest, mapLimited, type Digest, type ImageName } from '#core';
import type { ImageContent } from '#ports';
import { MANIFEST_TYPE } from '../oci.ts';
import { SIGNATURE } from '../sign/envelope.ts';
import type { PublicKey, Signer } from '../sign/keys.ts';
import type { StatementInputs } from '../statements/types.ts';
import type { ImageSet, ImageSetEntry } from '../types.ts';
import type { Sleep } from './decide-tag.ts';
import { IMAGE_RECORD, imageRecord, recordedImage } from './image-record.ts';
import {
  hasArtifact,
  readBack,
  repositoryOf,
  setsRepository,
  writeArtifact,
  type Place,
} from './place.ts';
import { withKnownBlobs } from './known-blobs.ts';
import { haveAppSpecs, publishAppSpec } from './publish-app-spec.ts';
import {
  haveStatements,
  makeStatements,
  publishStatements,
  type StatementsByImage,
} from './publish-statements.ts';
import { lostImages, pushImages } from './push-images.ts';
import { inputsTag, setArtifact, setTag } from './set-artifact.ts';
import { attachStatement, findStatement, signManifest } from './statements.ts';
import { tagImage } from './tag-image.ts';

/** Requests at a time. */
const REQUESTS = 8;

export interface PublishOptions {
  readonly place: Place;
  readonly set: ImageSet;
  readonly content: ImageContent;
  /** Signs the set, its images and their records; nothing is signed without it. */
  readonly signer?: Signer;
  /** Keys whose images may replace one of the set that lost a race. */
  readonly keys: readonly PublicKey[];
  /** Reads the inputs of statements about an image; the set has no statements without it. */
  readonly statements?: (entry: ImageSetEntry) => Promise<StatementInputs | undefined>;
  readonly onStep?: (step: string) => void;
  /** Waits between looks at other builders; a timer by default. */
  readonly sleep?: Sleep;
}

export interface Published {
  /** The set as published: images that another builder published first have its digests. */
  readonly set: ImageSet;
  /** Digest of the set's manifest. */
  readonly digest: Digest;
  readonly tag: string;
  readonly uploadedBytes: number;
  /** Images that were not in the registry. */
  readonly pushed: readonly ImageName[];
  /** Images with a tag whose blobs, or whose app spec, the registry had lost. */
  readonly repaired: readonly ImageName[];
  readonly adopted: readonly ImageName[];
}

/**
 * Publishes an image set: blobs, manifests by digest, statements, tags of fingerprints, and the set
 * last. A run that is killed leaves no name with missing content; the next run continues. If
 * another builder gave a fingerprint another digest first, the set gets that digest. Content that
 * the registry lost is uploaded again. Throws `publish-conflict`, `publish-lost` and the registry's
 * errors.
 */
export async function publishSet(options: PublishOptions): Promise<Published> {
  const { set, content, statements, onStep = () => undefined } = options;
  if (statements === undefined) return publishWith(options, new Map());
  onStep(`making statements about ${counted(set.images.length, 'image')}`);
  const made = await makeStatements(set, content, statements);
  return publishWith({ ...options, set: made.set }, made.statements);
}

async function publishWith(
  options: PublishOptions,
  statements: StatementsByImage,
): Promise<Published> {
  const { place, content, signer, onStep = () => undefined } = options;
  const { registry } = place;
  onStep(
    `looking for ${counted(options.set.images.length, 'image')} in ${registry.host}/${place.prefix}`,
  );
  const tagged = await tagsOf(place, options.set.images);
  const absent = options.set.images.filter((entry) => tagged.get(entry) === undefined);
  const present = options.set.images.filter((entry) => tagged.get(entry) === entry.digest);
  const lost = new Set(await lostImages(place, content, present));
  if (absent.length > 0) onStep(`uploading ${counted(absent.length, 'image')}`);
  if (lost.size > 0) onStep(`uploading lost content of ${counted(lost.size, 'image')} again`);
  if (present.length === options.set.images.length && lost.size === 0) {
    const checked = withKnownBlobs(place);
    const known = (await haveStatements(checked, statements))
      ? await publishedBefore(checked, options.set, signer)
      : undefined;
    if (known !== undefined)
      return { ...known, uploadedBytes: 0, pushed: [], repaired: [], adopted: [] };
  }
  const uploadedBytes = await pushImages(
    place,
    content,
    [...absent, ...lost],
    present.filter((entry) => !lost.has(entry)),
  );
  const own = [...absent, ...present];
  await mapLimited(own, REQUESTS, async (entry) => {
    const made = statements.get(entry.name);
    const size = content.document(entry.digest).length;
    if (made !== undefined) await publishStatements(place, entry, size, made, signer);
  });
  if (signer !== undefined) {
    onStep(`signing ${counted(own.length, 'image')}`);
    await mapLimited(own, REQUESTS, (entry) => signImage(options, entry, signer));
  }
  await mapLimited(absent, REQUESTS, (entry) => tagImage(place, entry, options.sleep));
  const known = await tagsOf(place, absent);
  const images = await mapLimited(options.set.images, REQUESTS, (entry) =>
    adoptWinner(options, entry, known.get(entry) ?? tagged.get(entry) ?? entry.digest),
  );
  const set: ImageSet = { ...options.set, images };
  const repairedSpecs = await mapLimited(images, REQUESTS, (entry) => publishAppSpec(place, entry));
  const { digest, tag } = await publishSetArtifact(place, set, signer);
  return {
    set,
    digest,
    tag,
    uploadedBytes,
    pushed: absent.map(({ name }) => name),
    repaired: options.set.images
      .filter((entry, index) => lost.has(entry) || repairedSpecs[index] === true)
      .map(({ name }) => name),
    adopted: images
      .filter((entry, index) => entry.digest !== options.set.images[index]!.digest)
      .map(({ name }) => name),
  };
}

async function tagsOf(
  place: Place,
  entries: readonly ImageSetEntry[],
): Promise<ReadonlyMap<ImageSetEntry, Digest | undefined>> {
  const found = await mapLimited(entries, REQUESTS, (entry) =>
    place.registry.manifestDigest(repositoryOf(place, entry.name), entry.version),
  );
  return new Map(entries.map((entry, index) => [entry, found[index]]));
}

/** The entry with the digest that its tag has. */
async function adoptWinner(
  { place, keys, set }: PublishOptions,
  entry: ImageSetEntry,
  digest: Digest,
): Promise<ImageSetEntry> {
  if (digest === entry.digest) return entry;
  const repository = repositoryOf(place, entry.name);
  const refuse = (why: string, hint: string): CcpError =>
    new CcpError({
      code: 'publish-conflict',
      message: `${place.registry.host}/${repository}:${entry.version} is ${digest}, not ${entry.digest}, and ${why}`,
      hint,
    });
  if (keys.length === 0)
    throw refuse(
      'no key is trusted',
      'name the keys of trusted builders with --trust, or in `trust` of .ccp.yaml',
    );
  const subject = { repository, digest };
  const found = await findStatement(place, subject, keys, { predicateType: IMAGE_RECORD });
  const { series, platform } = set;
  const wanted = { image: entry.name, series, platform, fingerprint: entry.fingerprint };
  const image = typeof found === 'string' ? found : recordedImage(found.predicate, digest, wanted);
  if (typeof image === 'string')
    throw refuse(image, 'ask who can write to the registry, or publish to another path');
  const { size, compressedSize, contentKey, statements } = image;
  const { statements: _, ...own } = entry;
  return {
    ...own,
    digest,
    size,
    compressedSize,
    contentKey,
    ...(statements === undefined ? {} : { statements }),
  };
}

async function signImage(
  { place, content, set }: PublishOptions,
  entry: ImageSetEntry,
  signer: Signer,
): Promise<void> {
  const repository = repositoryOf(place, entry.name);
  const size = content.document(entry.digest).length;
  const subject = { repository, digest: entry.digest, size };
  await attachStatement(place, subject, signer, {
    predicateType: IMAGE_RECORD,
    predicate: imageRecord(set, entry),
  });
  await signManifest(place, subject, signer);
}

/**
 * The set if it was published, and signed with its images by this key, before, and if the registry
 * still has the set and all app specs; its images are tagged.
 */
async function publishedBefore(
  place: Place,
  set: ImageSet,
  signer: Signer | undefined,
): Promise<Pick<Published, 'set' | 'digest' | 'tag'> | undefined> {
  const repository = setsRepository(place);
  const artifact = setArtifact(set);
  const { digest } = artifact;
  const tag = setTag(set, digest);
  if (!(await hasArtifact(place, repository, tag, artifact))) return undefined;
  if (!(await haveAppSpecs(place, set.images))) return undefined;
  if (signer !== undefined) {
    const subject = { repository, digest };
    const signed = await findStatement(place, subject, [signer.key], { predicateType: SIGNATURE });
    if (typeof signed === 'string' || !(await areRecorded(place, set, signer))) return undefined;
  }
  return { set, digest, tag };
}

/** True if this key signed the record of every image: `ccp sign` signs the set alone. */
async function areRecorded(place: Place, set: ImageSet, signer: Signer): Promise<boolean> {
  const found = await mapLimited(set.images, REQUESTS, (entry) => {
    const subject = { repository: repositoryOf(place, entry.name), digest: entry.digest };
    const predicate = imageRecord(set, entry);
    return findStatement(place, subject, [signer.key], { predicateType: IMAGE_RECORD, predicate });
  });
  return found.every((each) => typeof each !== 'string');
}

/** Writes the set, signs it, and names it last. */
async function publishSetArtifact(
  place: Place,
  set: ImageSet,
  signer: Signer | undefined,
): Promise<{ readonly digest: Digest; readonly tag: string }> {
  const { registry } = place;
  const repository = setsRepository(place);
  const artifact = setArtifact(set);
  const { digest, manifest } = artifact;
  const tag = setTag(set, digest);
  if (!(await hasArtifact(place, repository, tag, artifact)))
    await writeArtifact(place, repository, artifact);
  if (signer !== undefined)
    await signManifest(place, { repository, digest, size: manifest.length }, signer);
  for (const name of [inputsTag(set.images), tag]) {
    const found = await registry.manifestDigest(repository, name);
    // Another set of the same inputs may have been first; it is as good for other builders.
    if (found !== undefined && isDigest(found)) continue;
    await registry.writeManifest(repository, name, MANIFEST_TYPE, manifest);
  }
  await readBack(registry, repository, tag, digest);
  return { digest, tag };
}
