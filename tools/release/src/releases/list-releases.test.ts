import { beforeEach, expect, it } from 'vitest';
import { platform, series, type Digest } from '#core';
import { memoryRegistry, type MemoryRegistry } from '#ports/testing';
import {
  createRelease,
  newKeyPair,
  promoteRelease,
  signManifest,
  signerOf,
  type Signer,
} from '../index.ts';
import { setsRepository, writeArtifact, type Place } from '../publish/place.ts';
import { setArtifact } from '../publish/set-artifact.ts';
import { listReleases, releaseLines } from './list-releases.ts';

const newSigner = (name: string): Signer =>
  signerOf(newKeyPair('ed25519', undefined).privateKey, name, undefined);
const [signer, stranger] = [newSigner('release.pub'), newSigner('other.pub')];
const keys = [signer.key];

let registry: MemoryRegistry;
let place: Place;
beforeEach(() => {
  registry = memoryRegistry();
  place = { registry, prefix: 'ccp' };
});
const name = (tag: string, digest: Digest): unknown =>
  registry.names.set(`${setsRepository(place)}:${tag}`, digest);
const lines = async (trusted = keys) => releaseLines(await listReleases(place, trusted));

/** A set without images; `reason` makes its digest unique. */
async function publish(reason: string, by?: Signer): Promise<Digest> {
  const artifact = setArtifact({
    format: 2,
    series: series('2026.1'),
    platform: platform('linux/amd64'),
    overrides: [{ requirement: 'a==1', reason, expires: '2026-12-31' }],
    images: [],
  });
  const repository = setsRepository(place);
  await writeArtifact(place, repository, artifact);
  const { digest, manifest } = artifact;
  if (by !== undefined)
    await signManifest(place, { repository, digest, size: manifest.length }, by);
  return digest;
}

async function release(version: string, by = signer): Promise<Digest> {
  const digest = await publish(version, by);
  await createRelease({ place, digest, series: '2026.1', version, signer: by });
  return digest;
}

const promote = (version: string, by = signer) =>
  promoteRelease({ place, alias: 'stable', version, by: 'me@host', signer: by, keys: [by.key] });

it('says that there are no releases', async () => {
  expect(await lines()).toEqual(['no releases']);
});

it('shows the state of each version', async () => {
  const digest = await release('2026.1.0');
  await release('2026.1.1', stranger);
  name('2026.1.2', await publish('2026.1.2'));
  name('2026.1.3', digest);
  expect(await lines()).toEqual([
    '2026.1.0 verified (release.pub)',
    '2026.1.1 unknown key',
    '2026.1.2 unsigned',
    '2026.1.3 invalid: its statement has another predicate',
  ]);
  expect((await lines([])).map((line) => line.split(' ').slice(1).join(' '))).toEqual([
    'unknown key',
    'unknown key',
    'unsigned',
    'unknown key',
  ]);
});

it('shows the version of an alias only if its record is verified', async () => {
  const digest = await release('2026.1.0');
  await promote('2026.1.0');
  expect((await lines()).at(-1)).toBe(
    'stable -> 2026.1.0 verified (release.pub), moved by me@host',
  );
  await release('2026.1.1', stranger);
  name('alias-stable.2', digest);
  name('alias-other.1', await publish('unsigned'));
  expect((await lines()).slice(2)).toEqual([
    'other unsigned: record 1 is not valid, since it is not signed',
    'stable invalid: record 2 is not valid, since it is the record of another move',
  ]);
});

it('refuses an alias whose record a stranger signed, or whose version was moved', async () => {
  await release('2026.1.0', stranger);
  await promote('2026.1.0', stranger);
  expect((await lines()).at(-1)).toBe(
    'stable unknown key: record 1 is not valid, since no trusted key signed it',
  );
  registry = memoryRegistry();
  place = { registry, prefix: 'ccp' };
  await release('2026.1.0');
  await promote('2026.1.0');
  name('2026.1.0', await publish('moved', signer));
  expect((await lines()).at(-1)).toBe(
    'stable invalid: record 1 is not valid, since it names 2026.1.0, whose tag has another set',
  );
});
