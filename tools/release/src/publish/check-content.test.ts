import { beforeEach, describe, expect, it } from 'vitest';
import { CcpError, CcpErrors, type Digest } from '#core';
import { memoryRegistry, type MemoryRegistry } from '#ports/testing';
import { memoryImages } from '../testing/memory-images.ts';
import { checkSetContent, type CheckOptions } from './check-content.ts';
import { repositoryOf, type Place } from './place.ts';
import { publishSet, type Published } from './publish-set.ts';

const { set, content, images } = memoryImages(['base', 'nova', 'glance']);
const layerOf = (image: string): Digest => images.get(image)!.blobs.at(-1)!.descriptor.digest;
const specOf = (image: string): Digest =>
  set.images.find(({ name }) => name === image)!.app!.digest;

let registry: MemoryRegistry;
let place: Place;
let published: Published;
const publish = () => publishSet({ place, set, content, keys: [] });
beforeEach(async () => {
  registry = memoryRegistry();
  place = { registry, prefix: 'ccp' };
  published = await publish();
});

/** Messages of all problems. */
async function problems(options: CheckOptions = {}): Promise<readonly string[]> {
  try {
    await checkSetContent(place, published, options);
    return [];
  } catch (thrown) {
    expect(thrown).toMatchObject({
      code: 'set-incomplete',
      hint: 'publish the set again: ccp publish',
    });
    return (thrown instanceof CcpErrors ? thrown.findings : [thrown as Error]).map(
      ({ message }) => message,
    );
  }
}

describe('checkSetContent', () => {
  it('counts manifests and blobs', async () => {
    const counts = { manifests: 7, blobs: 3 + 2 * 3 + 2 + 2 };
    const { blobs } = await checkSetContent(place, published);
    expect(await checkSetContent(place, published)).toEqual({ ...counts, blobs, bytes: 0 });
    const deep = await checkSetContent(place, published, { deep: true });
    expect([deep.blobs, deep.bytes > 0]).toEqual([blobs, true]);
  });

  it('names all missing content by image and digest', async () => {
    registry.blobs.delete(layerOf('nova'));
    registry.manifests.delete(`ccp/glance@${images.get('glance')!.digest}`);
    registry.manifests.delete(`ccp/glance@${specOf('glance')}`);
    expect(await problems()).toEqual([
      `image glance in registry.test/ccp/glance: app spec ${specOf('glance')} is missing; manifest ${images.get('glance')!.digest} is missing`,
      `image nova in registry.test/ccp/nova: layer ${layerOf('nova')} is missing`,
    ]);
  });

  it('names blobs of another size', async () => {
    registry.blobs.set(layerOf('nova'), Buffer.from('short'));
    expect(await problems()).toEqual([
      `image nova in registry.test/ccp/nova: layer ${layerOf('nova')} has 5 bytes instead of 13`,
    ]);
  });

  it('names blobs with other bytes if it is deep', async () => {
    registry.blobs.set(layerOf('base'), Buffer.from('LAYER of base'));
    expect(await problems()).toEqual([]);
    const text = (image: string) =>
      `image ${image} in registry.test/ccp/${image}: layer ${layerOf('base')} is damaged: registry.test sent damaged content when asked to read blob ${layerOf('base')} (3 attempts)`;
    expect(await problems({ deep: true })).toEqual(['base', 'glance', 'nova'].map(text));
  });

  it('names content that the registry finds damaged itself, and checks the rest', async () => {
    const { readManifest } = registry;
    const failing = images.get('glance')!.digest;
    registry.readManifest = async (repository, reference) => {
      if (reference === failing)
        throw new CcpError({
          code: 'registry-failed',
          message: 'registry.test refused: status 500',
        });
      return readManifest(repository, reference);
    };
    registry.blobs.delete(layerOf('nova'));
    expect(await problems()).toEqual([
      `image glance in registry.test/ccp/glance: manifest ${failing} cannot be read: registry.test refused: status 500`,
      `image nova in registry.test/ccp/nova: layer ${layerOf('nova')} is missing`,
    ]);
  });

  it('ends if the registry refuses everything', async () => {
    const failed = new CcpError({ code: 'registry-failed', message: 'a: status 503' });
    registry.readManifest = async () => Promise.reject(failed);
    const many = published.set.images.flatMap((entry) => [entry, entry, entry, entry]);
    const found = { ...published, set: { ...published.set, images: many } };
    await expect(checkSetContent(place, found)).rejects.toBe(failed);
  });

  it('names a manifest that is not one', async () => {
    registry.manifests.set(
      `${repositoryOf(place, 'nova')}@${images.get('nova')!.digest}`,
      Buffer.from('{"layers":[1]}'),
    );
    expect(await problems()).toEqual([
      `image nova in registry.test/ccp/nova: manifest ${images.get('nova')!.digest} is invalid: a blob of the manifest has no media type or digest`,
    ]);
  });
});

describe('publishSet', () => {
  it('uploads lost blobs again', async () => {
    registry.blobs.delete(layerOf('nova'));
    expect(await publish()).toMatchObject({ pushed: [], repaired: ['nova'] });
    expect(await problems({ deep: true })).toEqual([]);
    expect(await publish()).toMatchObject({ pushed: [], repaired: [], uploadedBytes: 0 });
  });

  it('uploads a lost layer of a parent to all images that have it', async () => {
    registry.blobs.delete(layerOf('base'));
    expect(await publish()).toMatchObject({ repaired: ['base', 'nova', 'glance'] });
    expect(await problems({ deep: true })).toEqual([]);
  });

  it('publishes lost app specs and a lost set again', async () => {
    const [spec] = [...registry.blobs].filter(([, bytes]) =>
      Buffer.from(bytes).toString().startsWith('title: nova'),
    );
    registry.blobs.delete(spec![0]);
    expect(await publish()).toMatchObject({ pushed: [], repaired: ['nova'] });
    const [file] = [...registry.blobs].filter(([, bytes]) =>
      Buffer.from(bytes).toString().startsWith('{"format"'),
    );
    registry.blobs.delete(file![0]);
    expect(await publish()).toMatchObject({ digest: published.digest, repaired: [] });
    expect(await problems()).toEqual([]);
  });
});
