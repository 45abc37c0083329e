import { readFileSync } from 'node:fs';
import { parseYaml, type JsonSchema } from '#definitions';
import { CcpError, throwFindings, type Position } from '#core';
import type { CveState, PackageKind } from '../types.ts';

/** A reviewed decision about a vulnerability. */
export interface Decision {
  /** Name of the vulnerability, or one of its aliases. */
  readonly cve: string;
  /** Package; for Debian the source package. */
  readonly package: string;
  readonly kind?: PackageKind;
  /** Images that it applies to; all images without it. */
  readonly images?: readonly string[];
  readonly status: 'not-affected' | 'accepted';
  /** Word of OpenVEX; present for `not-affected`. */
  readonly justification?: string;
  readonly reason: string;
  /** Who reviewed it. */
  readonly by: string;
  /** `2026-11-30`. */
  readonly reviewed: string;
  /** Last day of an accepted risk. */
  readonly expires?: string;
}

/** A policy: states that fail, and decisions. */
export interface CvePolicy {
  readonly format: 1;
  /** Author of OpenVEX statements. */
  readonly author?: string;
  readonly fail?: readonly (CveState | 'unchecked')[];
  readonly decisions?: readonly Decision[];
}

/** A policy with the places of its decisions. */
export interface ReadPolicy {
  readonly file: string;
  readonly policy: CvePolicy;
  readonly position: (decision: number) => Position;
}

const SCHEMA = new URL('../../schemas/cve-policy.schema.json', import.meta.url);
/** 10,000 decisions. */
const MAX_POLICY = 8 << 20;

/** States that fail without a policy. */
export const DEFAULT_FAIL: readonly CveState[] = ['fixable'];

/** Parses the text of a policy file. Throws `yaml-invalid` with file and line. */
export function parsePolicy(text: string, file: string): ReadPolicy {
  const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as JsonSchema;
  const { value, position } = parseYaml<CvePolicy>(text, file, schema, MAX_POLICY);
  const { decisions = [], author } = value;
  const refuse = (index: number, key: string, message: string, hint: string): CcpError =>
    new CcpError({ code: 'yaml-invalid', message, hint, at: position(['decisions', index, key]) });
  throwFindings(
    decisions.flatMap(({ status, justification, reviewed, expires }, index) => [
      ...(status === 'not-affected' && justification === undefined
        ? [refuse(index, 'status', '"justification" is missing', 'say why it is not affected')]
        : []),
      ...(status === 'not-affected' && expires !== undefined
        ? [
            refuse(
              index,
              'expires',
              '"expires" is valid only with the status "accepted"',
              'remove "expires"',
            ),
          ]
        : []),
      ...(status === 'accepted' && justification !== undefined
        ? [
            refuse(
              index,
              'justification',
              '"justification" is valid only with the status "not-affected"',
              'remove "justification"',
            ),
          ]
        : []),
      ...(status === 'accepted' && expires === undefined
        ? [refuse(index, 'status', '"expires" is missing', 'name the last day of the risk')]
        : []),
      ...[['reviewed', reviewed] as const, ['expires', expires] as const].flatMap(([key, date]) =>
        date === undefined || isDate(date)
          ? []
          : [refuse(index, key, `"${date}" is not a date`, 'write a date like 2026-11-30')],
      ),
    ]),
  );
  if (author === undefined && decisions.some(({ status }) => status === 'not-affected'))
    throw new CcpError({
      code: 'yaml-invalid',
      message: '"author" is missing',
      hint: 'name the author of the decisions: OpenVEX statements have it',
      at: position(['decisions']),
    });
  return { file, policy: value, position: (index) => position(['decisions', index]) };
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** True if a decision is about a vulnerability of a package in an image. */
export function appliesTo(
  decision: Decision,
  names: readonly string[],
  { kind, package: name }: { readonly kind: PackageKind; readonly package: string },
  image: string,
): boolean {
  return (
    names.includes(decision.cve) &&
    decision.package === name &&
    (decision.kind ?? kind) === kind &&
    (decision.images?.includes(image) ?? true)
  );
}
