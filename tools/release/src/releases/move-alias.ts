import { canonicalJson, CcpError, omitUndefined, type Json } from '#core';
import { artifactOf, blobOf } from '../oci.ts';
import { writeTagOnce, type Sleep } from '../publish/decide-tag.ts';
import { setsRepository, writeArtifact, type Place } from '../publish/place.ts';
import { signManifest } from '../publish/statements.ts';
import type { PublicKey, Signer } from '../sign/keys.ts';
import { ALIAS_TYPE, readAlias, type AliasRecord, type AliasTarget } from './aliases.ts';

export interface AliasMove {
  readonly place: Place;
  readonly alias: string;
  readonly to: AliasTarget;
  readonly by: string;
  readonly signer: Signer;
  readonly keys: readonly PublicKey[];
  /** Waits between looks; a timer by default. */
  readonly sleep?: Sleep;
}

/**
 * Moves an alias by a new signed record; earlier records stay. Runs that move an alias at the same
 * time agree on one record. Throws `alias-moved` in the others.
 */
export async function moveAlias(move: AliasMove): Promise<AliasRecord> {
  const { place, alias, to, by, signer, keys, sleep } = move;
  const { registry } = place;
  const repository = setsRepository(place);
  const before = await readAlias(place, alias, keys);
  if (before?.record.to.digest === to.digest && before.record.to.version === to.version)
    return before.record;
  const number = (before?.record.number ?? 0) + 1;
  const record: AliasRecord = {
    format: 1,
    alias,
    number,
    to,
    ...(before === undefined ? {} : { from: before.record.to }),
    by,
  };
  const artifact = artifactOf({
    artifactType: ALIAS_TYPE,
    layers: [blobOf(canonicalJson(record as unknown as Json), ALIAS_TYPE)],
    annotations: { 'ccp.alias': alias, 'ccp.version': to.version },
  });
  const { digest, manifest } = artifact;
  await writeArtifact(place, repository, artifact);
  await signManifest(place, { repository, digest, size: manifest.length }, signer);
  const tag = `alias-${alias}.${number}`;
  const decision = { registry, repository, tag, manifest, ...omitUndefined({ sleep }) };
  if ((await writeTagOnce(decision)) === digest) return record;
  throw new CcpError({
    code: 'alias-moved',
    message: `another run moved ${alias} at the same time`,
    hint: `see \`ccp release list\`, then run the command again`,
  });
}
