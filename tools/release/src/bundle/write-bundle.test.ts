import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf, hexOf, platform, series } from '#core';
import { memoryRegistry, type MemoryRegistry } from '#ports/testing';
import { newKeyPair, readBundle, signManifest, signerOf, writeBundle } from '../index.ts';
import { artifactOf, blobOf, MANIFEST_TYPE } from '../oci.ts';
import { setsRepository, writeArtifact, type Place } from '../publish/place.ts';
import { setArtifact } from '../publish/set-artifact.ts';
import { BUNDLE_TYPE } from '../sign/envelope.ts';
import type { ImageSet } from '../types.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

const newSigner = () => signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);
const [signer, stranger] = [newSigner(), newSigner()];
const set: ImageSet = {
  format: 2,
  series: series('2026.1'),
  platform: platform('linux/amd64'),
  images: [],
};
const artifact = setArtifact(set);
const { digest, manifest } = artifact;
const subject = { mediaType: MANIFEST_TYPE, digest, size: manifest.length };

let registry: MemoryRegistry;
let place: Place;
let repository: string;
beforeEach(async () => {
  registry = memoryRegistry();
  place = { registry, prefix: 'ccp' };
  repository = setsRepository(place);
  await writeArtifact(place, repository, artifact);
});

const sign = (by = signer) =>
  signManifest(place, { repository, digest, size: manifest.length }, by);

async function write(name: string): Promise<{ names: readonly string[]; text: string }> {
  const file = join(folder, name);
  const found = { set, digest, size: manifest.length };
  const { names } = await writeBundle({
    place,
    found,
    keys: [signer.key],
    name: '2026.1.0',
    file,
  });
  return { names, text: readFileSync(file).toString('latin1') };
}

it('keeps the signatures of trusted keys', async () => {
  await sign();
  const { names, text } = await write('signed.tar');
  expect(names).toEqual(['ccp.sets:2026.1.0', `ccp.sets:sha256-${hexOf(digest)}.sig`]);
  expect(text).toContain(`"artifactType":"${BUNDLE_TYPE}","digest"`);
});

it('omits artifacts that others attached to a set', async () => {
  await sign();
  const before = await write('before.tar');
  const layers = [blobOf('{}', BUNDLE_TYPE)];
  const annotations = { 'org.opencontainers.image.ref.name': 'nova:2026.1' };
  for (const artifactType of [BUNDLE_TYPE, 'application/vnd.other'])
    await writeArtifact(
      place,
      repository,
      artifactOf({ artifactType, layers, annotations, subject }),
    );
  const size = 64 * 2 ** 30;
  const large = { descriptor: { ...layers[0]!.descriptor, size }, bytes: layers[0]!.bytes };
  await writeArtifact(
    place,
    repository,
    artifactOf({ artifactType: BUNDLE_TYPE, layers: [large], subject }),
  );
  const { referrers } = registry;
  const missing = { ...subject, digest: digestOf('missing'), artifactType: BUNDLE_TYPE };
  place = {
    ...place,
    registry: { ...registry, referrers: async (...of) => [missing, ...(await referrers(...of))] },
  };
  expect(await write('after.tar')).toEqual(before);
});

it('leaves out signatures of keys that are not trusted', async () => {
  await sign(stranger);
  expect((await write('stranger.tar')).names).toEqual(['ccp.sets:2026.1.0']);
});

it('refuses an archive with a name that two manifests have', async () => {
  await sign();
  const { text } = await write('twice.tar');
  const file = join(folder, 'changed.tar');
  const tag = `ccp.sets:sha256-${hexOf(digest)}.sig`;
  // The same number of bytes, since the header of the archive has the size.
  const index = text.replace(`"${tag}"`, `"ccp.sets:2026.1.0"`.padEnd(tag.length + 2));
  writeFileSync(file, index, 'latin1');
  await expect(readBundle(file)).rejects.toMatchObject({
    code: 'bundle-invalid',
    message: `${file} is not a bundle: its index names ccp.sets:2026.1.0 twice`,
  });
});

describe('a bundle that cannot be written', () => {
  const target = join(folder, 'none');
  const writeTo = (file: string, onStep?: (step: string) => void, signal?: AbortSignal) =>
    writeBundle({
      place,
      found: { set, digest, size: manifest.length },
      keys: [signer.key],
      name: '2026.1.0',
      file,
      ...(onStep === undefined ? {} : { onStep }),
      ...(signal === undefined ? {} : { signal }),
    });
  const left = () => readdirSync(folder).filter((name) => name.startsWith('.ccp-bundle-'));

  it.each(['writing the archive', 'reading the archive back'])(
    'leaves nothing after a cancellation while %s',
    async (at) => {
      await sign();
      const controller = new AbortController();
      const listeners = process.listenerCount('exit');
      const onStep = (step: string): void => {
        if (step !== at) return;
        expect([left().length, process.listenerCount('exit')]).toEqual([1, listeners + 1]);
        controller.abort();
      };
      await expect(writeTo(target, onStep, controller.signal)).rejects.toMatchObject({
        code: 'cancelled',
        message: `${target} was not written`,
      });
      expect([left(), process.listenerCount('exit')]).toEqual([[], listeners]);
      expect(readdirSync(folder)).not.toContain('none');
    },
  );

  it('is refused before anything is copied', async () => {
    mkdirSync(join(folder, 'taken'));
    const steps: string[] = [];
    const refused = async (file: string): Promise<unknown> =>
      writeTo(file, (step) => void steps.push(step)).catch((thrown: unknown) => thrown);
    expect(await refused(join(folder, 'taken'))).toMatchObject({
      code: 'file-unwritable',
      message: `cannot write ${join(folder, 'taken')}: it is a folder`,
      hint: 'name a file',
    });
    expect(await refused(`${target}/`)).toMatchObject({ code: 'file-unwritable' });
    expect(await refused(join(target, 'a.tar'))).toMatchObject({
      code: 'file-unwritable',
      message: `cannot write ${join(target, 'a.tar')}: no such file or folder`,
      hint: `create its folder first: ${target}`,
    });
    expect([steps, left()]).toEqual([[], []]);
  });
});

it('refuses a bundle with a size that cannot be read, without waiting for its content', async () => {
  await write('whole.tar');
  const bytes = readFileSync(join(folder, 'whole.tar'));
  bytes.fill(0xc1, 124, 136).fill(' ', 148, 156);
  const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  const file = join(folder, 'odd.tar');
  writeFileSync(file, bytes);
  await expect(readBundle(file)).rejects.toMatchObject({
    code: 'bundle-invalid',
    message: expect.stringMatching(/odd\.tar is not a bundle: "[^"]+" has an invalid size$/),
  });
});
