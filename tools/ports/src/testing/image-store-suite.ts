import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imageName, platform, series, sha256, type Fingerprint } from '#core';
import type { ImageIdentity, ImageStore, StoredImage } from '../image-store.ts';

/** A store to hold against its contract, empty at first. */
export interface StoreUnderTest {
  readonly store: ImageStore;
  /** Pushes an image of one layer with these files, as an engine would. */
  push(reference: string, files: Readonly<Record<string, string>>): Promise<void>;
  /** Writes to a stored image, behind the store's back. */
  damage(image: StoredImage): Promise<void>;
  /** Closes the store and opens it on the same data. */
  reopen(): Promise<ImageStore>;
  close(): Promise<void>;
}

/** What every ImageStore does, whatever is behind it. */
export function imageStoreSuite(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} as an image store`, () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(async () => {
      await under.close();
    });

    const identityOf = (word: string, more: Partial<ImageIdentity> = {}): ImageIdentity => ({
      image: imageName('keystone'),
      series: series('2026.1'),
      platform: platform('linux/amd64'),
      fingerprint: sha256(word) as string as Fingerprint,
      contentKey: sha256(`key of ${word}`),
      labels: { 'org.opencontainers.image.title': 'Keystone' },
      ...more,
    });
    const seal = async (identity: ImageIdentity, files: Readonly<Record<string, string>>) => {
      await under.push(under.store.incoming(identity), files);
      return under.store.seal(identity);
    };

    it('finds an image by its names once it is published, not before', async () => {
      const identity = identityOf('a');
      const sealed = await seal(identity, { 'etc/a': 'a' });
      const { labels: _, ...names } = identity;
      expect(sealed).toMatchObject(names);
      expect(sealed.size).toBeGreaterThan(0);
      expect([under.store.byFingerprint(identity.fingerprint), under.store.byContentKey(identity.contentKey), under.store.list()]).toEqual([
        undefined,
        undefined,
        [],
      ]);
      await under.store.publish(sealed);
      expect([under.store.byFingerprint(identity.fingerprint), under.store.byContentKey(identity.contentKey), under.store.list()]).toEqual([
        sealed,
        sealed,
        [sealed],
      ]);
    });

    it('gives the same push the same digest, and another push another', async () => {
      const first = await seal(identityOf('a'), { 'etc/a': 'a' });
      const same = await seal(identityOf('b'), { 'etc/a': 'a' });
      const other = await seal(identityOf('c'), { 'etc/a': 'b' });
      expect(same.digest).toBe(first.digest);
      expect(other.digest).not.toBe(first.digest);
    });

    it('names a stored image by a second fingerprint', async () => {
      const sealed = await seal(identityOf('a'), { 'etc/a': 'a' });
      await under.store.publish(sealed);
      const { fingerprint, contentKey } = identityOf('b');
      const alias = await under.store.alias({ fingerprint, contentKey }, sealed);
      expect(alias).toEqual({ ...sealed, fingerprint, contentKey });
      expect(under.store.byFingerprint(fingerprint)).toEqual(alias);
      expect(under.store.byFingerprint(sealed.fingerprint)).toEqual(sealed);
    });

    it('keeps what was published, and only that, when it is opened again', async () => {
      const kept = await seal(identityOf('a'), { 'etc/a': 'a' });
      await under.store.publish(kept);
      await seal(identityOf('b'), { 'etc/a': 'b' });
      const again = await under.reopen();
      expect(again.list()).toEqual([kept]);
      await again.verify(kept.digest);
    });

    it('finds no image that somebody wrote to, under whatever name, until it is pushed again', async () => {
      const identity = identityOf('a');
      const sealed = await seal(identity, { 'etc/a': 'a' });
      await under.store.publish(sealed);
      const alias = await under.store.alias(identityOf('b'), sealed);
      const found = () => [
        under.store.byFingerprint(sealed.fingerprint),
        under.store.byContentKey(sealed.contentKey),
        under.store.byFingerprint(alias.fingerprint),
      ];
      await under.damage(sealed);
      expect(found()).toEqual([undefined, undefined, undefined]);
      expect(await seal(identity, { 'etc/a': 'a' })).toEqual(sealed);
      await under.store.publish(sealed);
      expect(found()).toEqual([sealed, sealed, alias]);
      await under.store.verify(sealed.digest);
    });

    it('shows the labels in the config', async () => {
      const sealed = await seal(identityOf('a'), { 'etc/a': 'a' });
      const { manifest, config } = await under.store.inspect(sealed.digest);
      expect(manifest).toMatchObject({ schemaVersion: 2 });
      expect(config).toMatchObject({ config: { Labels: { 'org.opencontainers.image.title': 'Keystone' } } });
    });

    it('refuses to seal what was never pushed', async () => {
      await expect(under.store.seal(identityOf('a'))).rejects.toMatchObject({ code: 'push-missing' });
    });

    it('collects what no kept fingerprint names', async () => {
      const kept = await seal(identityOf('a'), { 'etc/a': 'a' });
      const dropped = await seal(identityOf('b'), { 'etc/b': 'b'.repeat(5000) });
      await under.store.publish(kept);
      await under.store.publish(dropped);
      expect(await under.store.collect(new Set([kept.fingerprint]))).toBeGreaterThan(0);
      expect(under.store.list()).toEqual([kept]);
      await under.store.verify(kept.digest);
      await expect(under.store.verify(dropped.digest)).rejects.toMatchObject({ code: 'store-corrupt' });
    });
  });
}
