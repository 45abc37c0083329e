import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { digestOf, hexOf, isRecord } from '#core';
import { memoryRegistry, type MemoryRegistry } from '#ports/testing';
import { writeBundle } from '../bundle/write-bundle.ts';
import { imageSetText, parseImageSet } from '../image-set.ts';
import { mirrorRelease } from '../releases/mirror.ts';
import { newKeyPair, signerOf } from '../sign/keys.ts';
import { PROVENANCE } from '../statements/provenance.ts';
import { memoryImages } from '../testing/memory-images.ts';
import { exampleInputs } from '../testing/statement-inputs.ts';
import { checkSetContent } from './check-content.ts';
import { findImages } from './find-images.ts';
import type { Place } from './place.ts';
import { publishSet } from './publish-set.ts';
import { readStatement } from './read-statement.ts';
import { findStatement } from './statements.ts';
import { trustedSet } from './verify-set.ts';

const signer = signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);
const keys = [signer.key];
const { set, content } = memoryImages(['base', 'nova']);
/** The test images have the empty config too, which is checked with their layers. */
const NOVA_CONFIG = 1;

let registry: MemoryRegistry;
let place: Place;
beforeEach(() => {
  registry = memoryRegistry();
  place = { registry, prefix: 'ccp' };
});
const publish = (of = set) =>
  publishSet({ place, set: of, content, keys, signer, statements: async () => exampleInputs() });

describe('a set with statements', () => {
  it('lists them by digest, in format 3', async () => {
    const published = await publish();
    const { set: found, text } = await trustedSet(place, published.tag, keys);
    expect(found).toEqual(parseImageSet(text, 'set'));
    expect([found.format, found.images.length]).toEqual([3, 2]);
    for (const { name, digest, statements } of found.images) {
      const referrers = await registry.referrers(`ccp/${name}`, digest);
      const types = new Map(referrers.map((each) => [each.digest, each.artifactType]));
      expect(Object.entries(statements!).map(([kind, each]) => [kind, types.get(each)])).toEqual([
        ['spdx', 'application/spdx+json'],
        ['cyclonedx', 'application/vnd.cyclonedx+json'],
        ['provenance', 'application/vnd.in-toto+json'],
        ['tests', 'application/vnd.in-toto+json'],
      ]);
    }
  });

  it('is equal when it is published again, and nothing is written', async () => {
    const first = await publish();
    const before = new Map(registry.manifests);
    registry.writeManifest = async () => expect.unreachable();
    expect(await publish()).toEqual({ ...first, pushed: [], uploadedBytes: 0 });
    expect(registry.manifests).toEqual(before);
  });

  it('asks once for a blob that several statements of an image share', async () => {
    await publish();
    const asked: string[] = [];
    const { hasBlob } = registry;
    registry.hasBlob = async (repository, digest) => {
      asked.push(`${repository}@${digest}`);
      return hasBlob(repository, digest);
    };
    await publish();
    const empty = asked.filter((each) => each === `ccp/nova@${digestOf('{}')}`);
    expect(empty).toHaveLength(1 + NOVA_CONFIG);
  });

  it('has signed provenance for policy controllers', async () => {
    const { set: found } = await publish();
    const { name, digest } = found.images[0]!;
    const subject = { repository: `ccp/${name}`, digest };
    const signed = await findStatement(place, subject, keys, { predicateType: PROVENANCE });
    expect(isRecord(signed) ? signed['predicate'] : signed).toMatchObject({
      buildDefinition: { buildType: 'urn:ccp:build-type:image:v1' },
    });
  });

  it('is incomplete without one of them, until it is published again', async () => {
    const published = await publish();
    const spdx = published.set.images[1]!.statements!.spdx;
    registry.manifests.delete(`ccp/nova@${spdx}`);
    await expect(checkSetContent(place, published)).rejects.toMatchObject({
      code: 'set-incomplete',
      message: `image nova in registry.test/ccp/nova: spdx statement ${spdx} is missing`,
    });
    await publish();
    expect(await checkSetContent(place, published)).toMatchObject({ manifests: 2 * 6 + 1 });
  });

  it('keeps the statements of a builder that published an image first', async () => {
    const first = await publish();
    const other = memoryImages(['other', 'nova']);
    const nova = other.set.images[1]!;
    const images = [set.images[0]!, { ...set.images[1]!, digest: nova.digest }];
    const both = {
      document: (digest: typeof nova.digest) =>
        digest === nova.digest ? other.content.document(digest) : content.document(digest),
      blob: content.blob,
    };
    const lost = await publishSet({
      place,
      set: { ...set, images },
      content: both,
      keys,
      signer,
      statements: async () => exampleInputs(),
    });
    expect([lost.adopted, lost.set.images[1]!.statements]).toEqual([
      ['nova'],
      first.set.images[1]!.statements,
    ]);
  });

  it('lists an OpenVEX document, and copies it to mirrors and bundles', async () => {
    const vex = { '@context': 'https://openvex.dev/ns/v0.2.0', statements: [] };
    const statements = async ({ name }: (typeof set.images)[number]) => ({
      ...exampleInputs(),
      ...(name === 'nova' ? { vex } : {}),
    });
    const { set: found, digest } = await publishSet({
      place,
      set,
      content,
      keys,
      signer,
      statements,
    });
    const [base, nova] = parseImageSet(imageSetText(found), 'set').images;
    expect(base!.statements).not.toHaveProperty('vex');
    const reference = nova!.statements!.vex!;
    const [referrer] = (await registry.referrers('ccp/nova', nova!.digest)).filter(
      (each) => each.digest === reference,
    );
    expect(referrer).toMatchObject({
      artifactType: 'application/vnd.in-toto+json',
      annotations: { 'in-toto.io/predicate-type': 'https://openvex.dev/ns/v0.2.0' },
    });
    expect(JSON.parse(await readStatement(place, 'nova', reference))).toMatchObject({
      predicateType: 'https://openvex.dev/ns/v0.2.0',
      subject: [{ name: 'nova', digest: { sha256: hexOf(nova!.digest) } }],
      predicate: vex,
    });
    const to = { registry: memoryRegistry(), prefix: 'copy' };
    await mirrorRelease({ from: place, to, release: { set: found, digest }, keys });
    expect(JSON.parse(await readStatement(to, 'nova', reference))).toMatchObject({
      predicate: vex,
    });
    const folder = mkdtempSync(join(tmpdir(), 'ccp-vex-'));
    try {
      const file = join(folder, 'bundle.tar');
      const request = { set: found, digest, size: 1 };
      await writeBundle({ place, found: request, keys, name: '2026.1.0', file });
      expect(readFileSync(file, 'latin1')).toContain(`blobs/sha256/${hexOf(reference)}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('gives other builders its images', async () => {
    const published = await publish();
    const wanted = published.set.images.map(({ name, fingerprint }) => ({
      image: name,
      fingerprint,
      series: set.series,
      platform: set.platform,
    }));
    const found = await findImages({ place, keys, planned: wanted.slice(1), wanted });
    expect([...found.keys()]).toEqual(['base', 'nova']);
  });

  it('carries them in a bundle', async () => {
    const { set: found, digest } = await publish();
    const folder = mkdtempSync(join(tmpdir(), 'ccp-statements-'));
    try {
      const file = join(folder, 'bundle.tar');
      const request = { set: found, digest, size: 1 };
      await writeBundle({ place, found: request, keys, name: '2026.1.0', file });
      const text = readFileSync(file, 'latin1');
      for (const { statements } of found.images)
        for (const each of Object.values(statements!))
          expect(text).toContain(`blobs/sha256/${hexOf(each)}`);
      expect(text.match(/"artifactType":"application\/spdx\+json","digest"/g)).toHaveLength(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
