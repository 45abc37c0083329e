import { canonicalJson, codeOf, messageOf, type Json } from '#core';
import type { Descriptor } from '#ports';
import { artifactOf, blobOf, MANIFEST_TYPE, manifestParts } from '../oci.ts';
import {
  BUNDLE_TYPE,
  bundleOf,
  checkBundle,
  SIGNATURE,
  type CheckedStatement,
  type Statement,
} from '../sign/envelope.ts';
import type { PublicKey, Signer } from '../sign/keys.ts';
import { readWhole, writeArtifact, type Place, type Subject } from './place.ts';
import { writeSimpleSignature } from './simple-tag.ts';

/** Bytes of a bundle. */
export const MAX_BUNDLE = 1 << 20;
/** Bundles that are read for one subject: an attacker can add any number. */
export const MAX_CANDIDATES = 64;

/** The reason if a manifest has no statement of a type. */
export const NOT_SIGNED = 'it is not signed';

/** Attaches a signed statement to a manifest, unless this key signed an equal one before. */
export async function attachStatement(
  place: Place,
  { repository, digest, size }: Subject,
  signer: Signer,
  statement: Omit<Statement, 'subject'>,
): Promise<void> {
  const { predicateType } = statement;
  const found = await findStatement(place, { repository, digest }, [signer.key], statement);
  if (typeof found !== 'string') return;
  const bundle = bundleOf(signer, { subject: digest, ...statement });
  const artifact = artifactOf({
    artifactType: BUNDLE_TYPE,
    layers: [blobOf(bundle, BUNDLE_TYPE)],
    annotations: {
      'dev.sigstore.bundle.content': 'dsse-envelope',
      'dev.sigstore.bundle.predicateType': predicateType,
    },
    subject: { mediaType: MANIFEST_TYPE, digest, size },
  });
  await writeArtifact(place, repository, artifact);
}

/** Signs a manifest: as a bundle, and as the tag that older tools read. */
export async function signManifest(place: Place, subject: Subject, signer: Signer): Promise<void> {
  await attachStatement(place, subject, signer, { predicateType: SIGNATURE, predicate: {} });
  await writeSimpleSignature(place, subject, signer);
}

/** The statement to find; with `predicate`, it must have an equal predicate. */
type WantedStatement = Pick<Statement, 'predicateType'> &
  Partial<Statement> & {
    readonly matches?: (predicate: Json) => boolean;
  };

/**
 * The first statement of this predicate type about a manifest that one of `keys` signed, or
 * the reason if none is found.
 */
export async function findStatement(
  { registry }: Place,
  { repository, digest }: Pick<Subject, 'repository' | 'digest'>,
  keys: readonly PublicKey[],
  { predicateType, predicate, matches = () => true }: WantedStatement,
): Promise<CheckedStatement | string> {
  const reasons: string[] = [];
  const all = await registry.referrers(repository, digest);
  const candidates = all.filter(
    ({ artifactType, annotations }) =>
      artifactType === BUNDLE_TYPE &&
      (annotations?.['dev.sigstore.bundle.predicateType'] ?? predicateType) === predicateType,
  );
  for (const candidate of candidates.slice(0, MAX_CANDIDATES)) {
    const bytes = await bundleBytes({ registry }, repository, candidate);
    const checked =
      typeof bytes === 'string'
        ? bytes
        : checkBundle(bytes, keys, { subject: digest, predicateType });
    if (typeof checked === 'string') reasons.push(checked);
    else if (
      (predicate === undefined || canonicalJson(checked.predicate) === canonicalJson(predicate)) &&
      matches(checked.predicate)
    )
      return checked;
    else reasons.push('its statement has another predicate');
  }
  return reasons[0] ?? NOT_SIGNED;
}

async function bundleBytes(
  { registry }: Pick<Place, 'registry'>,
  repository: string,
  { digest }: Descriptor,
): Promise<Buffer | string> {
  try {
    const manifest = await registry.readManifest(repository, digest);
    if (manifest === undefined) return `its signature ${digest} is missing`;
    const [blob] = manifestParts(manifest.bytes).layers;
    if (blob === undefined) return `its signature ${digest} has no bundle`;
    return await readWhole(registry, repository, blob, MAX_BUNDLE);
  } catch (thrown) {
    if (codeOf(thrown) === 'registry-unreachable') throw thrown;
    return `its signature ${digest} cannot be read: ${messageOf(thrown)}`;
  }
}
