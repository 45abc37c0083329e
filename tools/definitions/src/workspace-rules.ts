import { CcpError, formatPosition, nearest, type Position } from '#core';
import type { ParsedImage } from './parse-image.ts';

/** Places that name a series which images/series.yaml does not have. */
export function checkSeries(images: readonly ParsedImage[], series: readonly string[]): CcpError[] {
  const known = new Set(series);
  return images.flatMap(({ mentions }) =>
    mentions
      .filter((mention) => !known.has(mention.series))
      .map((mention) => {
        const meant = nearest(mention.series, series);
        return new CcpError({
          code: 'series-unknown',
          message: `the series "${mention.series}" is not in images/series.yaml`,
          hint: meant === undefined ? `it has ${series.join(', ')}` : `did you mean "${meant}"?`,
          at: mention.at,
        });
      }),
  );
}

interface Claim {
  readonly other: string | number;
  readonly at: Position | undefined;
}

/** Users with one name and several uids, or one uid and several names, each against the first image that has it. */
export function checkUsers(images: readonly ParsedImage[]): CcpError[] {
  const byUid = new Map<number, Claim>();
  const byName = new Map<string, Claim>();
  const findings: CcpError[] = [];
  for (const { definition, uidAt } of images) {
    if (definition.user === undefined) continue;
    const { name, uid } = definition.user;
    const sameUid = claim(byUid, uid, { other: name, at: uidAt });
    const sameName = claim(byName, name, { other: uid, at: uidAt });
    if (sameUid !== undefined) findings.push(taken(`the uid ${uid} of user ${name} is user ${sameUid.other}'s`, sameUid, uidAt));
    else if (sameName !== undefined) findings.push(taken(`the user ${name} has uid ${uid} here and ${sameName.other} elsewhere`, sameName, uidAt));
  }
  return findings;
}

/** The earlier claim on `key`, where it says something else. */
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
    hint: 'one name and one uid belong together in all images',
    ...(at === undefined ? {} : { at }),
  });
}
