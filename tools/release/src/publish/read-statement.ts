import { CcpError, messageOf, omitUndefined, type Digest } from '#core';
import { manifestParts, type BlobDescriptor } from '../oci.ts';
import { readWhole, repositoryOf, type Place } from './place.ts';

/** Bytes of a statement: a package list of 20,000 packages. */
const MAX_STATEMENT = 16 << 20;

/**
 * The text of an unsigned statement about an image, which its set names by digest. Throws
 * `set-incomplete` if the registry lacks it or if it is not a statement.
 */
export async function readStatement(place: Place, image: string, digest: Digest): Promise<string> {
  const repository = repositoryOf(place, image);
  const refuse = (why: string, cause?: unknown): CcpError =>
    new CcpError({
      code: 'set-incomplete',
      message: `${place.registry.host}/${repository}@${digest} ${why}`,
      hint: 'publish the set again: ccp publish',
      ...omitUndefined({ cause }),
    });
  const manifest = await place.registry.readManifest(repository, digest);
  if (manifest === undefined) throw refuse('is missing');
  let blob: BlobDescriptor | undefined;
  try {
    [blob] = manifestParts(manifest.bytes).layers;
  } catch (thrown) {
    throw refuse(`is invalid: ${messageOf(thrown)}`, thrown);
  }
  if (blob === undefined) throw refuse('has no content');
  return (await readWhole(place.registry, repository, blob, MAX_STATEMENT)).toString();
}
