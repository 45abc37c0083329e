import { mapLimited } from '#core';
import type { ImageContent } from '#ports';
import type { Signer } from '../sign/keys.ts';
import { imageStatements, type ImageStatements } from '../statements/image-statements.ts';
import { PROVENANCE } from '../statements/provenance.ts';
import type { StatementInputs } from '../statements/types.ts';
import type { ImageSet, ImageSetEntry } from '../types.ts';
import { hasArtifact, repositoryOf, writeArtifact, type Place } from './place.ts';
import { attachStatement } from './statements.ts';

/** Images whose layers are read at a time. */
const READS = 2;
/** Requests at a time. */
const REQUESTS = 8;

/** The statements about the images of a set, by image. */
export type StatementsByImage = ReadonlyMap<string, ImageStatements>;

/**
 * Makes the statements about the images of a set. Resolves with them, and with the set in format 3,
 * which lists them by digest. Throws `statement-mismatch`.
 */
export async function makeStatements(
  set: ImageSet,
  content: Pick<ImageContent, 'document'>,
  read: (entry: ImageSetEntry) => Promise<StatementInputs | undefined>,
): Promise<{ readonly set: ImageSet; readonly statements: StatementsByImage }> {
  const statements = new Map<string, ImageStatements>();
  const images = await mapLimited(set.images, READS, async (entry): Promise<ImageSetEntry> => {
    const inputs = await read(entry);
    if (inputs === undefined) return entry;
    const size = content.document(entry.digest).length;
    const made = imageStatements(set, entry, size, inputs);
    statements.set(entry.name, made);
    return { ...entry, statements: made.digests };
  });
  return { set: { ...set, format: 3, images }, statements };
}

/**
 * Attaches statements to an image, unless the registry has them with all of their content. With a
 * signer, the provenance is attached as a signed attestation too, for policy controllers.
 */
export async function publishStatements(
  place: Place,
  { name, digest }: ImageSetEntry,
  size: number,
  { artifacts, provenance }: ImageStatements,
  signer: Signer | undefined,
): Promise<void> {
  const repository = repositoryOf(place, name);
  for (const artifact of Object.values(artifacts)) {
    if (!(await hasArtifact(place, repository, artifact.digest, artifact)))
      await writeArtifact(place, repository, artifact);
  }
  if (signer !== undefined)
    await attachStatement(place, { repository, digest, size }, signer, {
      predicateType: PROVENANCE,
      predicate: provenance,
    });
}

/** True if the registry has all statements with all of their content. */
export async function haveStatements(
  place: Place,
  statements: StatementsByImage,
): Promise<boolean> {
  const wanted = [...statements].flatMap(([name, { artifacts }]) =>
    Object.values(artifacts).map((artifact) => ({ name, artifact })),
  );
  const found = await mapLimited(wanted, REQUESTS, ({ name, artifact }) =>
    hasArtifact(place, repositoryOf(place, name), artifact.digest, artifact),
  );
  return found.every(Boolean);
}
