import { codeOf, mapLimited, messageOf, type Digest } from '#core';
import { setsRepository, type Place } from '../publish/place.ts';
import { findStatement, NOT_SIGNED } from '../publish/statements.ts';
import { SIGNATURE, UNKNOWN_KEY } from '../sign/envelope.ts';
import type { PublicKey } from '../sign/keys.ts';
import { listAliases, readAlias, type AliasRecord } from './aliases.ts';
import { listVersions, releaseStatement } from './releases.ts';

/** Releases that are checked at a time. */
const CHECKS = 8;

/**
 * The state of a name's signatures: `verified` by a trusted key, `unsigned`, signed by an
 * `unknown key` only, or `invalid` for another reason.
 */
export type TrustState = 'verified' | 'unsigned' | 'unknown key' | 'invalid';

interface Trust {
  readonly state: TrustState;
  /** Name of the trusted key, if verified. */
  readonly key?: string;
  /** Absent if verified. */
  readonly reason?: string;
}

/** A tag that has the form of a version. */
export interface ListedVersion extends Trust {
  readonly version: string;
  readonly digest?: Digest;
}

/** An alias by the tags of its records. */
export interface ListedAlias extends Trust {
  readonly alias: string;
  /** Number of the newest record. */
  readonly number: number;
  /** The newest record, if verified. */
  readonly record?: AliasRecord;
}

/**
 * All versions and aliases of a registry with the state of their signatures: anyone who can write
 * to the registry can add and move tags.
 */
export async function listReleases(
  place: Place,
  keys: readonly PublicKey[],
): Promise<{
  readonly versions: readonly ListedVersion[];
  readonly aliases: readonly ListedAlias[];
}> {
  const versions = await mapLimited(await listVersions(place), CHECKS, ({ text }) =>
    listedVersion(place, text, keys),
  );
  const names = [...(await listAliases(place))].sort(([a], [b]) => (a < b ? -1 : 1));
  const aliases = await mapLimited(names, CHECKS, ([name, number]) =>
    listedAlias(place, { name, number }, keys, versions),
  );
  return { versions, aliases };
}

async function listedVersion(
  place: Place,
  version: string,
  keys: readonly PublicKey[],
): Promise<ListedVersion> {
  const repository = setsRepository(place);
  const digest = await place.registry.manifestDigest(repository, version);
  if (digest === undefined) return { version, ...proveNothing('its tag does not exist') };
  const subject = { repository, digest };
  const signed = await findStatement(place, subject, keys, { predicateType: SIGNATURE });
  if (typeof signed === 'string') return { version, digest, ...proveNothing(signed) };
  const released = await findStatement(place, subject, keys, releaseStatement(version));
  if (typeof released === 'string') return { version, digest, ...proveNothing(released) };
  return { version, digest, state: 'verified', key: released.key.name };
}

async function listedAlias(
  place: Place,
  { name: alias, number }: { readonly name: string; readonly number: number },
  keys: readonly PublicKey[],
  versions: readonly ListedVersion[],
): Promise<ListedAlias> {
  try {
    const found = await readAlias(place, alias, keys);
    if (found === undefined)
      return { alias, number, ...proveNothing('its newest record does not exist') };
    const { record, key } = found;
    const { to } = record;
    const target = versions.find(({ version }) => version === to.version);
    if (target?.digest !== to.digest)
      return {
        alias,
        number,
        ...proveNothing(`it names ${to.version}, whose tag has another set`),
      };
    if (target.state !== 'verified')
      return {
        alias,
        number,
        state: target.state,
        reason: `${to.version} is ${stateText(target)}`,
      };
    return { alias, number, state: 'verified', key: key.name, record };
  } catch (thrown) {
    if (codeOf(thrown) !== 'untrusted') throw thrown;
    const text = messageOf(thrown);
    return { alias, number, ...proveNothing(text.slice(text.lastIndexOf(': ') + 2)) };
  }
}

function proveNothing(reason: string): Trust {
  const state =
    reason === NOT_SIGNED ? 'unsigned' : reason === UNKNOWN_KEY ? 'unknown key' : 'invalid';
  return { state, reason };
}

function stateText({ state, reason, key }: Trust): string {
  if (state === 'verified') return `verified (${key})`;
  return state === 'invalid' ? `invalid: ${reason}` : state;
}

/**
 * Versions and aliases as text, one line each. An alias shows its version only if it is verified.
 */
export function releaseLines({
  versions,
  aliases,
}: Awaited<ReturnType<typeof listReleases>>): readonly string[] {
  if (versions.length === 0 && aliases.length === 0) return ['no releases'];
  return [
    ...versions.map((each) => `${each.version} ${stateText(each)}`),
    ...aliases.map((each) => {
      const { alias, number, record } = each;
      if (record === undefined)
        return `${alias} ${each.state}: record ${number} is not valid, since ${each.reason}`;
      const { to, from, by } = record;
      const origin = from === undefined ? '' : ` from ${from.version}, ${from.digest}`;
      return `${alias} -> ${to.version} ${stateText(each)}, moved by ${by}${origin}`;
    }),
  ];
}
