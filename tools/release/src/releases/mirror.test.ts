import { beforeEach, expect, it } from 'vitest';
import { hexOf, type Digest } from '#core';
import { memoryRegistry, type MemoryRegistry } from '#ports/testing';
import { artifactOf, blobOf, MANIFEST_TYPE } from '../oci.ts';
import { checkSetContent } from '../publish/check-content.ts';
import { setsRepository, writeArtifact, type Place } from '../publish/place.ts';
import { publishSet } from '../publish/publish-set.ts';
import { newKeyPair, signerOf } from '../sign/keys.ts';
import { memoryImages } from '../testing/memory-images.ts';
import { exampleInputs } from '../testing/statement-inputs.ts';
import { mirrorRelease } from './mirror.ts';
import { createRelease, trustedRelease } from './releases.ts';

const signer = signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);
const keys = [signer.key];
const { set, content } = memoryImages(['base', 'nova']);

let source: MemoryRegistry;
let target: MemoryRegistry;
let from: Place;
let to: Place;
let digest: Digest;
beforeEach(async () => {
  [source, target] = [memoryRegistry('source.test'), memoryRegistry('target.test')];
  [from, to] = [
    { registry: source, prefix: 'ccp' },
    { registry: target, prefix: 'mirror/ccp' },
  ];
  const statements = async () => exampleInputs();
  ({ digest } = await publishSet({ place: from, set, content, keys, signer, statements }));
  await createRelease({ place: from, digest, series: '2026.1', version: '2026.1.0', signer });
});

const mirror = async () => {
  const release = await trustedRelease(from, '2026.1.0', keys);
  return mirrorRelease({ from, to, release, keys });
};

it('copies a release so that it is verified and complete', async () => {
  const { manifests, bytes } = await mirror();
  expect([manifests > 10, bytes > 0]).toEqual([true, true]);
  const found = await trustedRelease(to, '2026.1.0', keys);
  expect([found.digest, found.set.format]).toEqual([digest, 3]);
  expect(await checkSetContent(to, found, { deep: true })).toMatchObject({ manifests: 13 });
  const tags = (registry: MemoryRegistry, { prefix }: Place) =>
    [...registry.names.keys()]
      .filter((name) => !/:(?:creating|claim|accepted)-/.test(name))
      .map((name) => name.slice(prefix.length))
      .sort();
  expect(tags(target, to)).toEqual(tags(source, from));
  expect(
    target.names.get(`mirror/ccp/nova:sha256-${hexOf(set.images[1]!.digest)}.sig`),
  ).toBeDefined();
});

it('copies nothing twice', async () => {
  await mirror();
  target.writeManifest = async () => expect.unreachable();
  target.writeBlob = async () => expect.unreachable();
  expect(await mirror()).toEqual({ manifests: 0, bytes: 0 });
});

it('leaves out what strangers attached', async () => {
  const stranger = artifactOf({
    artifactType: 'application/vnd.other',
    layers: [blobOf('other', 'text/plain')],
    subject: { mediaType: MANIFEST_TYPE, digest, size: 1 },
  });
  await writeArtifact(from, setsRepository(from), stranger);
  await mirror();
  expect([...target.manifests.keys()].some((name) => name.endsWith(stranger.digest))).toBe(false);
});

it('fails if another run gave the version to its set meanwhile', async () => {
  const { writeManifest } = target;
  const other = artifactOf({ artifactType: 'application/vnd.other', layers: [] });
  const sets = setsRepository(to);
  target.writeManifest = async (...given) => {
    await writeManifest(sets, '2026.1.0', MANIFEST_TYPE, other.manifest);
    return writeManifest(...given);
  };
  await expect(mirror()).rejects.toMatchObject({
    code: 'release-exists',
    message: `target.test/${sets}:2026.1.0 is ${other.digest}; a released name never moves`,
  });
});

it('names the version last, and copies the rest after a fault', async () => {
  const { writeManifest } = target;
  const order: string[] = [];
  target.writeManifest = async (repository, reference, ...others) => {
    if (order.length === 6) {
      order.push('fault');
      throw new Error('the registry is gone');
    }
    order.push(reference);
    return writeManifest(repository, reference, ...others);
  };
  await expect(mirror()).rejects.toThrow('the registry is gone');
  expect([...target.names.keys()]).not.toContain('mirror/ccp/ccp.sets:2026.1.0');
  await mirror();
  expect(order.at(-1)).toBe('2026.1.0');
  const found = await trustedRelease(to, '2026.1.0', keys);
  expect(await checkSetContent(to, found)).toMatchObject({ manifests: 13 });
});

it('refuses a version that has another set in the other registry', async () => {
  const other = `sha256:${'1'.repeat(64)}` as Digest;
  target.manifests.set(`${setsRepository(to)}@${other}`, Buffer.from('{}'));
  target.names.set(`${setsRepository(to)}:2026.1.0`, other);
  await expect(mirror()).rejects.toMatchObject({
    code: 'release-exists',
    message: expect.stringMatching(
      /^target\.test\/mirror\/ccp\/ccp\.sets:2026\.1\.0 is sha256:[0-9a-f]{64}; a released name never moves$/,
    ),
    hint: 'mirror to another path, or find out who released the other set',
  });
});

it('names a manifest that the release lacks', async () => {
  source.manifests.delete(`ccp/nova@${set.images[1]!.digest}`);
  await expect(mirror()).rejects.toMatchObject({
    code: 'set-incomplete',
    message: `source.test lacks ccp/nova@${set.images[1]!.digest}`,
  });
});
