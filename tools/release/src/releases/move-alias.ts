import { setTimeout } from 'node:timers/promises';
import { canonicalJson, CcpError, hexOf, type Json } from '#core';
import { artifactOf, blobOf, MANIFEST_TYPE } from '../oci.ts';
import { CLAIM_POLLS, DEAD_POLLS, POLL_MS, type Sleep } from '../publish/claims.ts';
import { readBack, setsRepository, writeArtifact, type Place } from '../publish/place.ts';
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
 * time see each other's tags `claim-ALIAS.NUMBER-MARK`, so one of them moves it. Throws
 * `alias-moved` in the others.
 */
export async function moveAlias(move: AliasMove): Promise<AliasRecord> {
  const { place, alias, to, by, signer, keys, sleep = setTimeout } = move;
  const { registry } = place;
  const repository = setsRepository(place);
  await waitForClaims(place, alias, sleep);
  const before = await readAlias(place, alias, keys);
  if (before?.record.to.digest === to.digest && before.record.to.version === to.version)
    return before.record;
  const last = before?.record.number ?? 0;
  const { newest, claims } = await movesOf(place, alias);
  if (newest !== last) throw movedByOther(alias);
  const number = Math.max(last, ...claims.map((claim) => claim.number)) + 1;
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
  const mark = hexOf(digest).slice(0, 32);
  const claim = `claim-${alias}.${number}-${mark}`;
  await registry.writeManifest(repository, claim, MANIFEST_TYPE, manifest);
  if (!(await isFirst(place, alias, { number, mark, last }, sleep))) throw movedByOther(alias);
  const tag = `alias-${alias}.${number}`;
  await registry.writeManifest(repository, tag, MANIFEST_TYPE, manifest);
  await readBack(registry, repository, tag, digest);
  return record;
}

function movedByOther(alias: string): CcpError {
  return new CcpError({
    code: 'alias-moved',
    message: `another run moved ${alias} at the same time`,
    hint: `see \`ccp release list\`, then run the command again`,
  });
}

interface Claim {
  readonly number: number;
  /** Start of the digest of the claimed record. */
  readonly mark: string;
}

/** The highest number of an alias's records, and the claims of numbers above it. */
async function movesOf(
  { registry, prefix }: Place,
  alias: string,
): Promise<{ readonly newest: number; readonly claims: readonly Claim[] }> {
  let newest = 0;
  const claims: Claim[] = [];
  for (const tag of await registry.tags(setsRepository({ prefix }))) {
    const [, kind, name, digits = '', mark = ''] = TAG.exec(tag) ?? [];
    if (name !== alias) continue;
    const number = Number(digits);
    if (kind === 'claim') claims.push({ number, mark });
    else if (mark === '') newest = Math.max(newest, number);
  }
  return { newest, claims: claims.filter(({ number }) => number > newest) };
}

const TAG = /^(alias|claim)-(.{1,64})\.([1-9]\d{0,8})(?:-([0-9a-f]{32}))?$/;

/** Waits until the claimed moves of other runs are done, or their runs are presumed killed. */
async function waitForClaims(place: Place, alias: string, sleep: Sleep): Promise<void> {
  for (let poll = 0; poll < DEAD_POLLS; poll += 1) {
    if ((await movesOf(place, alias)).claims.length === 0) return;
    await sleep(POLL_MS);
  }
}

/**
 * True if a claim is the one that moves the alias. Of two runs that claim a number, at least one
 * sees the claim of the other. A run that sees none moves the alias at once. A run that sees others
 * gives up, unless its mark is the lowest: then it waits for the record of a run that did not see
 * it.
 */
async function isFirst(
  place: Place,
  alias: string,
  { number, mark, last }: Claim & { readonly last: number },
  sleep: Sleep,
): Promise<boolean> {
  for (let poll = 0; ; poll += 1) {
    const { newest, claims } = await movesOf(place, alias);
    if (newest !== last) return false;
    const others = claims.filter((claim) => claim.number >= number && claim.mark !== mark);
    if (others.length === 0) return true;
    if (others.some((claim) => claim.number > number || claim.mark < mark)) return false;
    if (poll === CLAIM_POLLS) return true;
    await sleep(POLL_MS);
  }
}
