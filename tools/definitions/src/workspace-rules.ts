import { CcpError, formatPosition, nearest, omitUndefined, type Position } from '#core';
import type { ParsedImage } from './parse-image.ts';
import type { SeriesDefinition } from './types.ts';

/**
 * Findings for unknown series and suites in image definitions, and for unknown images in series.
 */
export function checkSeries(
  images: readonly ParsedImage[],
  series: readonly SeriesDefinition[],
): CcpError[] {
  const known = {
    series: series.map(({ name }) => name as string),
    suite: [...new Set(series.map(({ suite }) => suite))],
  };
  const mentions = images.flatMap((image) =>
    image.mentions.filter(({ kind, name }) => !known[kind].includes(name)),
  );
  const named = images.map(({ definition }) => definition.name as string);
  return [
    ...mentions.map(({ kind, name, at }) => {
      const message =
        kind === 'series'
          ? `the series "${name}" is not in images/series.yaml`
          : `no series in images/series.yaml is based on the suite "${name}"`;
      return unknown(message, name, known[kind], at);
    }),
    ...series.flatMap((each) =>
      (each.images ?? [])
        .filter(({ name }) => !named.includes(name))
        .map(({ name, at }) =>
          unknown(`series ${each.name} lists the unknown image "${name}"`, name, named, at),
        ),
    ),
  ];
}

function unknown(message: string, word: string, known: readonly string[], at: Position): CcpError {
  const meant = nearest(word, known);
  return new CcpError({
    code: 'series-unknown',
    message,
    hint: meant === undefined ? `known: ${known.join(', ')}` : `did you mean "${meant}"?`,
    at,
  });
}

interface Claim {
  readonly other: string | number;
  readonly at: Position | undefined;
}

/**
 * Findings for user names with several uids and uids with several names; each refers to the first
 * image that uses it.
 */
export function checkUsers(images: readonly ParsedImage[]): CcpError[] {
  const byUid = new Map<number, Claim>();
  const byName = new Map<string, Claim>();
  const findings: CcpError[] = [];
  for (const { definition, uidAt } of images) {
    if (definition.user === undefined) continue;
    const { name, uid } = definition.user;
    const sameUid = claim(byUid, uid, { other: name, at: uidAt });
    const sameName = claim(byName, name, { other: uid, at: uidAt });
    if (sameUid !== undefined)
      findings.push(
        taken(
          `the uid ${uid} of user ${name} already belongs to user ${sameUid.other}`,
          sameUid,
          uidAt,
        ),
      );
    else if (sameName !== undefined)
      findings.push(
        taken(
          `the user ${name} has uid ${uid} here and ${sameName.other} elsewhere`,
          sameName,
          uidAt,
        ),
      );
  }
  return findings;
}

/** The earlier claim on `key` if its value differs. */
function claim<K>(claims: Map<K, Claim>, key: K, mine: Claim): Claim | undefined {
  const earlier = claims.get(key);
  if (earlier === undefined) claims.set(key, mine);
  return earlier === undefined || earlier.other === mine.other ? undefined : earlier;
}

function taken(message: string, earlier: Claim, at: Position | undefined): CcpError {
  const where = earlier.at === undefined ? '' : ` (${formatPosition(earlier.at)})`;
  return new CcpError({
    code: 'definition-invalid',
    message: `${message}${where}`,
    hint: 'use one uid for each user name in all images',
    ...omitUndefined({ at }),
  });
}
