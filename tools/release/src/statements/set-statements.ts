import { isDigest, isRecord, type Digest } from '#core';
import type { SetStatements } from '../types.ts';

/** The kinds of statements about an image. */
export type StatementKind = keyof SetStatements;

/** Media type of each kind: scanners find package lists by it. */
export const STATEMENT_TYPES: Readonly<Record<StatementKind, string>> = {
  spdx: 'application/spdx+json',
  cyclonedx: 'application/vnd.cyclonedx+json',
  provenance: 'application/vnd.in-toto+json',
  tests: 'application/vnd.in-toto+json',
  // Scanners find it by the annotation `in-toto.io/predicate-type`.
  vex: 'application/vnd.in-toto+json',
};

/** The statements of a set's entry, in a fixed order. */
export function statementEntries(
  statements: SetStatements | undefined,
): readonly (readonly [StatementKind, Digest])[] {
  const kinds = Object.keys(STATEMENT_TYPES) as readonly StatementKind[];
  return kinds.flatMap((kind) => {
    const digest = statements?.[kind];
    return digest === undefined ? [] : [[kind, digest] as const];
  });
}

/** Reads the digests of the statements about an image. Throws `TypeError` if they are invalid. */
export function parseSetStatements(value: unknown, where: string): SetStatements {
  if (!isRecord(value)) throw new TypeError(`${where} is not an object`);
  const digestIn = (kind: StatementKind): Digest => {
    const digest = value[kind];
    if (typeof digest === 'string' && isDigest(digest)) return digest;
    throw new TypeError(`${where}.${kind} is not a sha256 digest`);
  };
  return {
    spdx: digestIn('spdx'),
    cyclonedx: digestIn('cyclonedx'),
    provenance: digestIn('provenance'),
    tests: digestIn('tests'),
    ...(value['vex'] === undefined ? {} : { vex: digestIn('vex') }),
  };
}
