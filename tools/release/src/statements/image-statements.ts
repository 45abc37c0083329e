import { canonicalJson, hexOf, type Digest, type Json } from '#core';
import { artifactOf, blobOf, MANIFEST_TYPE, type Artifact } from '../oci.ts';
import type { ImageSet, ImageSetEntry, SetStatements } from '../types.ts';
import { checkInstalled } from './check-installed.ts';
import { cycloneDxDocument } from './cyclone-dx.ts';
import { PROVENANCE, provenance } from './provenance.ts';
import { STATEMENT_TYPES, type StatementKind } from './set-statements.ts';
import { spdxDocument } from './spdx.ts';
import { subjectOf, type StatementSubject } from './subject.ts';
import { TEST_RESULT, testResult } from './test-result.ts';
import type { StatementInputs } from './types.ts';

const STATEMENT = 'https://in-toto.io/Statement/v1';

/** The statements about an image. */
export interface ImageStatements {
  readonly digests: SetStatements;
  readonly artifacts: Readonly<Record<StatementKind, Artifact>>;
  /** The predicate of the provenance, which is signed too. */
  readonly provenance: Json;
}

/**
 * The statements about an image as referrers of its manifest, which has `size` bytes. Equal inputs
 * give equal digests. Throws `statement-mismatch` if the image has other packages than its locks.
 */
export function imageStatements(
  set: Pick<ImageSet, 'series' | 'platform'>,
  entry: ImageSetEntry,
  size: number,
  inputs: StatementInputs,
): ImageStatements {
  const { components, installed } = inputs;
  checkInstalled(entry.name, components, installed);
  const subject = subjectOf(set, entry);
  const predicate = provenance(subject, inputs);
  const documents: Readonly<Record<StatementKind, Json>> = {
    spdx: spdxDocument(subject, components, installed.debian),
    cyclonedx: cycloneDxDocument(subject, components, installed.debian),
    provenance: statement(subject, PROVENANCE, predicate),
    tests: statement(subject, TEST_RESULT, testResult(entry, inputs.tests)),
  };
  const artifacts = {
    spdx: artifact('spdx', documents, subject, size),
    cyclonedx: artifact('cyclonedx', documents, subject, size),
    provenance: artifact('provenance', documents, subject, size, PROVENANCE),
    tests: artifact('tests', documents, subject, size, TEST_RESULT),
  };
  const digests = {
    spdx: artifacts.spdx.digest,
    cyclonedx: artifacts.cyclonedx.digest,
    provenance: artifacts.provenance.digest,
    tests: artifacts.tests.digest,
  };
  return { digests, artifacts, provenance: predicate };
}

function statement(
  { name, digest }: StatementSubject,
  predicateType: string,
  predicate: Json,
): Json {
  return {
    _type: STATEMENT,
    subject: [{ name, digest: { sha256: hexOf(digest) } }],
    predicateType,
    predicate,
  };
}

function artifact(
  kind: StatementKind,
  documents: Readonly<Record<StatementKind, Json>>,
  { digest }: { readonly digest: Digest },
  size: number,
  predicateType?: string,
): Artifact {
  const type = STATEMENT_TYPES[kind];
  const annotations =
    predicateType === undefined ? {} : { 'in-toto.io/predicate-type': predicateType };
  return artifactOf({
    artifactType: type,
    layers: [blobOf(`${canonicalJson(documents[kind])}\n`, type, annotations)],
    subject: { mediaType: MANIFEST_TYPE, digest, size },
    ...(predicateType === undefined ? {} : { annotations }),
  });
}
