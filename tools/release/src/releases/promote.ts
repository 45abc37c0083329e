import { CcpError } from '#core';
import type { Place } from '../publish/place.ts';
import type { PublicKey, Signer } from '../sign/keys.ts';
import { readAlias, type AliasRecord } from './aliases.ts';
import { moveAlias } from './move-alias.ts';
import { isAliasName, trustedRelease } from './releases.ts';
import { parseVersion } from './versions.ts';

interface Move {
  readonly place: Place;
  readonly alias: string;
  /** `USER@HOST`. */
  readonly by: string;
  readonly signer: Signer;
  readonly keys: readonly PublicKey[];
}

/**
 * Moves an alias to a released version whose signatures are valid. An alias that is a series takes
 * versions of that series only. Throws `release-alias`, `untrusted` and `alias-moved`.
 */
export async function promoteRelease(
  move: Move & { readonly version: string },
): Promise<AliasRecord> {
  const { alias, version, place, keys } = move;
  const refuse = (message: string, hint: string): CcpError =>
    new CcpError({ code: 'release-alias', message, hint });
  if (!isAliasName(alias))
    throw refuse(
      `${JSON.stringify(alias)} cannot be an alias`,
      'use a word like stable, or a series like 2026.1',
    );
  const parsed = parseVersion(version);
  if (parsed === undefined)
    throw refuse(`${version} is not a version`, 'list versions with `ccp release list`');
  if (/^\d/.test(alias) && parsed.series !== alias)
    throw refuse(
      `${version} is not a version of series ${alias}`,
      `promote a version of ${alias}; list them with \`ccp release list\``,
    );
  const { digest } = await trustedRelease(place, version, keys);
  return moveAlias({ ...move, to: { version, digest } });
}

/** Moves an alias back to the version before its last move. Throws `release-alias`. */
export async function rollBackAlias(move: Move): Promise<AliasRecord> {
  const { alias, place, keys } = move;
  const now = await readAlias(place, alias, keys);
  const to = now?.record.from;
  if (to === undefined)
    throw new CcpError({
      code: 'release-alias',
      message: `${alias} has no earlier version`,
      hint: 'list aliases and their moves with `ccp release list`',
    });
  return promoteRelease({ ...move, version: to.version });
}
