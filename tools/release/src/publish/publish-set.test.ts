import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { platform, series, sha256, type Digest } from '#core';
import type { ImageStore, Registry, StoredImage } from '#ports';
import { connectRegistry, openContent, openStore } from '#store';
import { faultyProxy, type FaultyProxy } from '../../../store/src/testing/faulty-proxy.ts';
import { fixtureTar } from '../../../store/src/testing/fixture-tar.ts';
import { pushAndSeal, testIdentity } from '../../../store/src/testing/push-image.ts';
import {
  checkSetContent,
  findImages,
  newKeyPair,
  publicKeyOf,
  publishSet,
  setAppSpec,
  signManifest,
  signerOf,
  trustedSet,
  type ImageSet,
  type Place,
} from '../index.ts';
import { inputsTag } from './set-artifact.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-publish-'));
const pair = newKeyPair('ed25519', undefined);
const signer = signerOf(pair.privateKey, 'key', undefined);
const trusted = [publicKeyOf(pair.publicKey, 'key.pub')];
const stranger = signerOf(newKeyPair('ed25519', undefined).privateKey, 'other', undefined);
const strangers = [stranger.key];

let local: ImageStore;
let remote: ImageStore;
let proxy: FaultyProxy;
let set: ImageSet;
let rounds = 0;
let place: Place;

/** Stores an image with one layer of its own on a base. */
async function build(name: string, text: string, base?: Digest, salt = ''): Promise<StoredImage> {
  const tar = fixtureTar([{ name: text, type: 'file', content: text.repeat(2000) }]);
  const identity = testIdentity(name, salt, base);
  const tars = base === undefined ? [tar] : [baseTar, tar];
  const image = await pushAndSeal(local, identity, tars);
  await local.publish(image);
  return image;
}

const baseTar = fixtureTar([{ name: 'base', type: 'file', content: 'base'.repeat(2000) }]);

function setOf(images: readonly StoredImage[]): ImageSet {
  return {
    format: 2,
    series: series('2026.1'),
    platform: platform('linux/amd64'),
    images: images.map(({ image, fingerprint, digest, size, compressedSize, contentKey }) => ({
      name: image,
      version: `2026.1-${fingerprint.slice(0, 32)}`,
      fingerprint,
      digest,
      size,
      compressedSize,
      contentKey,
      shipped: true,
      sources: {},
      packages: { debian: {}, python: {} },
      parents: image === images[0]!.image ? {} : { base: images[0]!.image },
      app: setAppSpec(image, { schema: '1.7.0', files: { 'app.yaml': `title: ${image}\n` } }),
    })),
  };
}

const publish = async (of = set, by = signer, keys = trusted) =>
  publishSet({ place, set: of, content: await openContent(join(root, 'local')), signer: by, keys });

beforeAll(async () => {
  local = await openStore({ folder: join(root, 'local') });
  remote = await openStore({ folder: join(root, 'remote') });
  proxy = await faultyProxy(remote);
  const base = await pushAndSeal(local, testIdentity('base'), [baseTar]);
  await local.publish(base);
  set = setOf([
    base,
    await build('one', 'one', base.digest),
    await build('two', 'two', base.digest),
  ]);
});
beforeEach(async () => {
  proxy.fault = () => undefined;
  proxy.seen.length = 0;
  place = {
    registry: await connectRegistry({ host: proxy.address, sleep: async () => undefined }),
    prefix: `round-${++rounds}`,
  };
});
afterAll(async () => {
  await proxy.close();
  await remote.close();
  await local.close();
  rmSync(root, { recursive: true });
});

const manifestPuts = (): readonly string[] =>
  proxy.seen.filter((line) => line.startsWith('PUT') && line.includes('/manifests/'));

describe('publishSet', () => {
  // First: the registry shares blobs between repositories.
  it('uploads each layer once, and no blob the second time', async () => {
    const first = await publish();
    const uploads = proxy.seen.filter((line) => /^POST .*\/uploads\/$/.test(line));
    const mounts = proxy.seen.filter((line) => line.includes('?mount='));
    expect(mounts.length).toBeGreaterThan(0);
    expect(first.uploadedBytes).toBeGreaterThan(0);
    expect(uploads.length).toBeGreaterThan(0);
    proxy.seen.length = 0;
    const second = await publish();
    expect(second).toEqual({ ...first, pushed: [], uploadedBytes: 0 });
    expect(proxy.seen.filter((line) => /^(?:POST|PUT|PATCH)/.test(line))).toEqual([]);
    // A tag, at most 3 blobs, an app spec with 2 blobs, and a record in a list, a manifest and a
    // blob.
    expect(proxy.seen.length).toBeLessThanOrEqual(11 * set.images.length + 8);
  });

  it('publishes a set that is found, verified and complete', async () => {
    const { digest, tag, pushed } = await publish();
    expect(pushed).toEqual(['base', 'one', 'two']);
    const found = await trustedSet(place, tag, trusted);
    expect([found.set, found.digest, found.key.name]).toEqual([set, digest, 'key.pub']);
    expect(await checkSetContent(place, found)).toMatchObject({ manifests: 7, bytes: 0 });
    // The set is named last.
    expect(manifestPuts().at(-1)).toBe(`PUT /v2/${place.prefix}/ccp.sets/manifests/${tag}`);
  });

  it('takes the digest of a trusted builder that was first', async () => {
    await publish();
    const other = await build('one', 'other bytes', set.images[0]!.digest, 'other');
    const images = set.images.map((entry) =>
      entry.name === 'one' ? { ...entry, digest: other.digest } : entry,
    );
    const lost = await publish({ ...set, images });
    expect([lost.adopted, lost.set.images[1]?.digest]).toEqual([['one'], set.images[1]?.digest]);
    const repository = `${place.registry.host}/${place.prefix}/one`;
    const tag = set.images[1]!.version;
    await expect(publish({ ...set, images }, signer, strangers)).rejects.toMatchObject({
      code: 'publish-conflict',
      message: `${repository}:${tag} is ${set.images[1]!.digest}, not ${other.digest}, and no trusted key signed it`,
    });
    await expect(publish({ ...set, images }, signer, [])).rejects.toMatchObject({
      code: 'publish-conflict',
      hint: 'name the keys of trusted builders with --trust, or in `trust` of .ccp.yaml',
    });
  });

  it('works with a registry that never moves a tag', async () => {
    const written = new Set<string>();
    proxy.fault = (request, response) => {
      const tag = /^\/v2\/(.+)\/manifests\/(?!sha256:)/.test(request.url ?? '');
      if (request.method !== 'PUT' || !tag) return undefined;
      if (written.has(request.url!)) return response.writeHead(409).end();
      written.add(request.url!);
      return undefined;
    };
    const first = await publish();
    expect(await publish()).toMatchObject({ digest: first.digest, uploadedBytes: 0 });
  });

  it('finishes in spite of faults, and continues after a stop', async () => {
    let requests = 0;
    const failed = new Map<string, number>();
    proxy.fault = ({ method, url }, response) => {
      requests += 1;
      // A request is retried a few times only.
      const target = `${method} ${url}`;
      failed.set(target, (failed.get(target) ?? 0) + 1);
      if (failed.get(target)! > 2) return undefined;
      if (requests % 5 === 1) return response.writeHead(503).end();
      if (requests % 11 === 2) return response.destroy();
      return requests % 13 === 3
        ? response.writeHead(429, { 'Retry-After': '1' }).end()
        : undefined;
    };
    const { tag } = await publish();
    proxy.fault = () => undefined;
    expect((await trustedSet(place, tag, trusted)).set).toEqual(set);
  });

  it('names nothing when a manifest cannot be written', async () => {
    proxy.fault = (request, response) =>
      request.method === 'PUT' && request.url?.includes('/two/manifests/')
        ? response.writeHead(400).end()
        : undefined;
    await expect(publish()).rejects.toMatchObject({ code: 'registry-failed' });
    for (const { name, version } of set.images)
      expect(
        await place.registry.manifestDigest(`${place.prefix}/${name}`, version),
      ).toBeUndefined();
    expect(await place.registry.tags(`${place.prefix}/ccp.sets`)).toEqual([]);
  });
});

describe('findImages', () => {
  const wantedOf = ({ images }: ImageSet) =>
    images.map(({ name, fingerprint }) => ({
      image: name,
      series: set.series,
      platform: set.platform,
      fingerprint,
    }));
  const find = (keys = trusted, planned = wantedOf(set)) =>
    findImages({ place, keys, planned, wanted: wantedOf(set) });

  it('finds all images of a published set by its inputs', async () => {
    await publish();
    proxy.seen.length = 0;
    const found = await find();
    expect([...found.values()].map(({ image, digest }) => [image, digest])).toEqual(
      set.images.map(({ name, digest }) => [name, digest]),
    );
    expect(proxy.seen.length).toBeLessThanOrEqual(5);
  });

  it('finds single images by their fingerprints', async () => {
    await publish();
    const other = { ...wantedOf(set)[0]!, fingerprint: sha256('of none') as never };
    expect([...(await find(trusted, [other])).values()]).toEqual(
      set.images.map(({ name: image, fingerprint, digest, size, compressedSize, contentKey }) => {
        const { series: of, platform: on } = set;
        return {
          image,
          series: of,
          platform: on,
          fingerprint,
          digest,
          contentKey,
          size,
          compressedSize,
        };
      }),
    );
  });

  it('finds images of a set that was published without a key, signed, and published again', async () => {
    const content = await openContent(join(root, 'local'));
    const { digest } = await publishSet({ place, set, content, keys: [] });
    const repository = `${place.prefix}/ccp.sets`;
    const { bytes } = (await place.registry.readManifest(repository, digest))!;
    await signManifest(place, { repository, digest, size: bytes.length }, signer);
    await publish();
    const other = { ...wantedOf(set)[0]!, fingerprint: sha256('of none') as never };
    expect([...(await find(trusted, [other])).keys()]).toEqual(set.images.map(({ name }) => name));
  });

  it('looks for single images if the set is not an image set', async () => {
    await publish();
    const tag = inputsTag(set.images);
    const bytes = Buffer.from('{"layers":[1]}');
    const name = `${place.registry.host}/${place.prefix}/ccp.sets:${tag}`;
    const readManifest: Registry['readManifest'] = async (repository, reference) =>
      reference === tag
        ? { mediaType: '', bytes }
        : place.registry.readManifest(repository, reference);
    const broken = { ...place, registry: { ...place.registry, readManifest } };
    await expect(trustedSet(broken, tag, trusted)).rejects.toMatchObject({
      code: 'image-set-invalid',
      message: `${name} is not an image set: a blob of the manifest has no media type or digest`,
    });
    const wanted = wantedOf(set);
    const found = await findImages({ place: broken, keys: trusted, planned: wanted, wanted });
    expect([...found.keys()]).toEqual(wanted.map(({ image }) => image));
  });

  it('refuses images without a trusted signature', async () => {
    await publish(set, stranger, strangers);
    await expect(find()).rejects.toMatchObject({
      code: 'untrusted',
      message: expect.stringMatching(/ is not trusted: no trusted key signed it$/),
    });
    await expect(find([])).rejects.toMatchObject({
      code: 'untrusted',
      message: `${place.registry.host}/${place.prefix} is not trusted: no key is trusted`,
    });
  });

  it('refuses the statement of another image', async () => {
    await publish();
    const [base, one] = set.images;
    const repository = `${place.prefix}/one`;
    // An image of an older, vulnerable build, under the tag of a newer one.
    const moved = await place.registry.readManifest(`${place.prefix}/base`, base!.digest);
    const tag = `2026.1-${'f'.repeat(32)}`;
    await place.registry.writeManifest(repository, tag, moved!.mediaType, moved!.bytes);
    const wanted = [{ ...wantedOf(set)[1]!, fingerprint: 'f'.repeat(64) as never }];
    await expect(
      findImages({ place, keys: trusted, planned: wanted, wanted }),
    ).rejects.toMatchObject({ code: 'untrusted' });
    expect(one!.name).toBe('one');
  });
});
