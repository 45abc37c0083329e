import { beforeEach, describe, expect, it } from 'vitest';
import type { Digest } from '#core';
import { memoryRegistry, type MemoryRegistry } from '#ports/testing';
import { createRelease, newKeyPair, signerOf, trustedRelease } from '../index.ts';
import { setsRepository, type Place } from '../publish/place.ts';
import { setTag } from '../publish/set-artifact.ts';
import { publishEmptySet } from '../testing/empty-set.ts';

const signer = signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);
const keys = [signer.key];

let registry: MemoryRegistry;
let place: Place;
beforeEach(() => {
  registry = memoryRegistry();
  place = { registry, prefix: 'ccp' };
});

const publishEmpty = (reason: string) => publishEmptySet(place, signer, reason);

const name = (tag: string, digest: Digest): unknown =>
  registry.names.set(`${setsRepository(place)}:${tag}`, digest);

describe('trustedRelease', () => {
  it('finds a set by the tag of its content', async () => {
    const { set, digest } = await publishEmpty('a');
    name(setTag(set, digest), digest);
    expect((await trustedRelease(place, setTag(set, digest), keys)).digest).toBe(digest);
  });

  it('refuses the tag of a set that was moved to another signed set', async () => {
    const [first, second] = [await publishEmpty('a'), await publishEmpty('b')];
    const tag = setTag(first.set, first.digest);
    name(tag, second.digest);
    await expect(trustedRelease(place, tag, keys)).rejects.toMatchObject({
      code: 'untrusted',
      message: `registry.test/ccp/ccp.sets:${tag} is not trusted: it names ${second.digest}, which has the tag ${setTag(second.set, second.digest)}`,
    });
  });

  it('refuses a version that was moved to a signed set without a release', async () => {
    const { digest } = await publishEmpty('a');
    name('2026.1.0', digest);
    await expect(trustedRelease(place, '2026.1.0', keys)).rejects.toMatchObject({
      code: 'untrusted',
      message: 'registry.test/ccp/ccp.sets:2026.1.0 is not trusted: it is not signed',
    });
  });

  it('refuses an alias without a record, even if a tag has its name', async () => {
    const { digest } = await publishEmpty('a');
    name('stable', digest);
    await expect(trustedRelease(place, 'stable', keys)).rejects.toMatchObject({
      code: 'set-missing',
      message: 'registry.test/ccp/ccp.sets has no image set stable',
    });
  });
});

describe('createRelease', () => {
  const create = async (digest: Digest): Promise<boolean> =>
    createRelease({ place, digest, series: '2026.1', version: '2026.1.0', signer });

  it('names a set by a version once', async () => {
    const { digest } = await publishEmpty('a');
    expect([await create(digest), await create(digest)]).toEqual([true, false]);
    expect((await trustedRelease(place, '2026.1.0', keys)).version).toBe('2026.1.0');
  });

  it('signs a version whose tag exists already', async () => {
    const { digest } = await publishEmpty('a');
    name('2026.1.0', digest);
    expect(await create(digest)).toBe(false);
    expect((await trustedRelease(place, '2026.1.0', keys)).digest).toBe(digest);
  });

  it('moves no version that another run created at the same time', async () => {
    const [own, other] = [await publishEmpty('a'), await publishEmpty('b')];
    const { writeBlob } = registry;
    place = {
      ...place,
      registry: {
        ...registry,
        writeBlob: async (...args) => {
          name('2026.1.0', other.digest);
          return writeBlob(...args);
        },
      },
    };
    await expect(create(own.digest)).rejects.toMatchObject({
      code: 'release-exists',
      message: `registry.test/ccp/ccp.sets:2026.1.0 is ${other.digest}; a released name never moves`,
      hint: 'release the set with the next version',
    });
  });
});
