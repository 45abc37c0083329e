import { digestOf, isDigest, isRecord, parseJson, type Digest } from '#core';
import { manifestParts } from '../oci.ts';
import { readWhole, setsRepository, type Place } from '../publish/place.ts';
import { findStatement } from '../publish/statements.ts';
import { untrusted } from '../publish/verify-set.ts';
import { SIGNATURE } from '../sign/envelope.ts';
import type { PublicKey } from '../sign/keys.ts';

/** Type of an alias record's artifact and of its one layer. */
export const ALIAS_TYPE = 'application/vnd.ccp.alias.v1+json';
const MAX_RECORD = 64 << 10;

/** A version and the digest of its set. */
export interface AliasTarget {
  readonly version: string;
  readonly digest: Digest;
}

/** One move of an alias. */
export interface AliasRecord {
  readonly format: 1;
  readonly alias: string;
  /** 1 for the first move. */
  readonly number: number;
  readonly to: AliasTarget;
  /** Absent in the first record. */
  readonly from?: AliasTarget;
  /** Who moved it: `USER@HOST`. */
  readonly by: string;
}

/** The newest record of an alias. */
export interface Alias {
  readonly record: AliasRecord;
  /** Digest of the record's manifest. */
  readonly digest: Digest;
  /** The trusted key that signed the record. */
  readonly key: PublicKey;
}

/** The highest number of each alias, from the tags `alias-NAME.NUMBER`. */
export async function listAliases(place: Place): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const tag of await place.registry.tags(setsRepository(place))) {
    const [, name, number] = /^alias-(.{1,64})\.([1-9]\d{0,8})$/.exec(tag) ?? [];
    if (name !== undefined) found.set(name, Math.max(found.get(name) ?? 0, Number(number)));
  }
  return found;
}

/**
 * The newest record of an alias; undefined without records. Throws `untrusted` if no trusted key
 * signed the record.
 */
export async function readAlias(
  place: Place,
  name: string,
  keys: readonly PublicKey[],
): Promise<Alias | undefined> {
  const number = (await listAliases(place)).get(name);
  if (number === undefined) return undefined;
  const { registry } = place;
  const repository = setsRepository(place);
  const tag = `alias-${name}.${number}`;
  const manifest = await registry.readManifest(repository, tag);
  if (manifest === undefined) return undefined;
  const digest = digestOf(manifest.bytes);
  const signed = await findStatement(place, { repository, digest }, keys, {
    predicateType: SIGNATURE,
  });
  if (typeof signed === 'string') throw untrusted(`${registry.host}/${repository}:${tag}`, signed);
  const [layer] = manifestParts(manifest.bytes).layers;
  const record =
    layer === undefined
      ? undefined
      : parseRecord(await readWhole(registry, repository, layer, MAX_RECORD));
  if (record === undefined || record.alias !== name || record.number !== number)
    throw untrusted(`${registry.host}/${repository}:${tag}`, 'it is the record of another move');
  return { record, digest, key: signed.key };
}

function parseRecord(bytes: Uint8Array): AliasRecord | undefined {
  const value = parseJson(Buffer.from(bytes).toString());
  if (!isRecord(value) || value['format'] !== 1) return undefined;
  const [to, from] = [targetOf(value['to']), targetOf(value['from'])];
  const { alias, number, by } = value;
  if (to === undefined || typeof alias !== 'string' || typeof number !== 'number') return undefined;
  return {
    format: 1,
    alias,
    number,
    to,
    ...(from === undefined ? {} : { from }),
    by: typeof by === 'string' ? by : '',
  };
}

function targetOf(value: unknown): AliasTarget | undefined {
  if (!isRecord(value)) return undefined;
  const { version, digest } = value;
  return typeof version === 'string' && typeof digest === 'string' && isDigest(digest)
    ? { version, digest }
    : undefined;
}
