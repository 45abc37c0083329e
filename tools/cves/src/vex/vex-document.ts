import { canonicalJson, sha256, type Digest, type Json } from '#core';
import { appliesTo, type CvePolicy } from '../policy/policy.ts';
import type { ImagePackage } from '../types.ts';

/** Context of OpenVEX documents. */
const OPENVEX = 'https://openvex.dev/ns/v0.2.0';

/** The image of a document. */
export interface VexSubject {
  readonly name: string;
  readonly digest: Digest;
  /** Package URL of the image. */
  readonly purl: string;
}

/**
 * The OpenVEX document about an image, from the policy's `not-affected` decisions about packages
 * that the image contains; undefined if there are none. Times are the dates of reviews, so equal
 * inputs give equal documents.
 */
export function vexDocument(
  { name, digest, purl }: VexSubject,
  packages: readonly ImagePackage[],
  { author = '', decisions = [] }: Pick<CvePolicy, 'author' | 'decisions'>,
): Json | undefined {
  const statements = decisions
    .filter(({ status }) => status === 'not-affected')
    .flatMap((decision): readonly Json[] => {
      const { cve, justification = '', reason, by, reviewed } = decision;
      const about = packages.filter((each) =>
        appliesTo(
          decision,
          [cve],
          { kind: each.kind, package: each.source?.name ?? each.name },
          name,
        ),
      );
      if (about.length === 0) return [];
      return [
        {
          vulnerability: { name: cve },
          timestamp: timeOf(reviewed),
          products: [
            {
              '@id': purl,
              identifiers: { purl },
              hashes: { 'sha-256': digest.slice('sha256:'.length) },
              subcomponents: [...new Set(about.map((each) => each.purl))]
                .sort()
                .map((each) => ({ '@id': each, identifiers: { purl: each } })),
            },
          ],
          status: 'not_affected',
          justification,
          impact_statement: reason,
          status_notes: `reviewed by ${by}`,
        },
      ];
    })
    .map((each) => ({ each, key: canonicalJson(each) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ each }) => each);
  if (statements.length === 0) return undefined;
  const times = statements.map((each) => (each as { timestamp: string }).timestamp).sort();
  const content = { author, timestamp: times.at(-1)!, version: 1, statements };
  return {
    '@context': OPENVEX,
    '@id': `urn:ccp:openvex:sha256:${sha256(canonicalJson(content))}`,
    ...content,
  };
}

function timeOf(date: string): string {
  return `${date}T00:00:00Z`;
}
