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
/** Predicate type of OpenVEX; scanners select documents by it. */
const OPENVEX = 'https://openvex.dev/ns/v0.2.0';

type StatementArtifacts = Readonly<Record<Exclude<StatementKind, 'vex'>, Artifact>> & {
  readonly vex?: Artifact;
};

/** The statements about an image. */
export interface ImageStatements {
  readonly digests: SetStatements;
  readonly artifacts: StatementArtifacts;
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
  const { components, installed, vex } = inputs;
  checkInstalled(entry.name, components, installed);
  const subject = subjectOf(set, entry);
  const predicate = provenance(subject, inputs);
  const plain = (kind: StatementKind, document: Json): Artifact =>
    artifact(kind, document, subject, size);
  const inToto = (kind: StatementKind, type: string, content: Json): Artifact =>
    artifact(kind, statement(subject, type, content), subject, size, type);
  const artifacts: StatementArtifacts = {
    spdx: plain('spdx', spdxDocument(subject, components, installed.debian)),
    cyclonedx: plain('cyclonedx', cycloneDxDocument(subject, components, installed.debian)),
    provenance: inToto('provenance', PROVENANCE, predicate),
    tests: inToto('tests', TEST_RESULT, testResult(entry, inputs.tests)),
    ...(vex === undefined ? {} : { vex: inToto('vex', OPENVEX, vex) }),
  };
  const digests = {
    spdx: artifacts.spdx.digest,
    cyclonedx: artifacts.cyclonedx.digest,
    provenance: artifacts.provenance.digest,
    tests: artifacts.tests.digest,
    ...(artifacts.vex === undefined ? {} : { vex: artifacts.vex.digest }),
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
  document: Json,
  { digest }: { readonly digest: Digest },
  size: number,
  predicateType?: string,
): Artifact {
  const type = STATEMENT_TYPES[kind];
  const annotations =
    predicateType === undefined ? {} : { 'in-toto.io/predicate-type': predicateType };
  return artifactOf({
    artifactType: type,
    layers: [blobOf(`${canonicalJson(document)}\n`, type, annotations)],
    subject: { mediaType: MANIFEST_TYPE, digest, size },
    ...(predicateType === undefined ? {} : { annotations }),
  });
}
