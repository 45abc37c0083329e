import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  digestOf,
  imageName,
  platform,
  series,
  sha256,
  type Digest,
  type Fingerprint,
} from '#core';
import type { ImageIdentity, ImageStore, StoredImage } from '../image-store.ts';

/** A store under test, initially empty. */
export interface StoreUnderTest {
  readonly store: ImageStore;
  /**
   * Pushes an image with one layer of these files, like an engine; resolves with the manifest
   * digest.
   */
  push(reference: string, files: Readonly<Record<string, string>>): Promise<Digest>;
  /** Changes a stored image without the store's methods. */
  damage(image: StoredImage): Promise<void>;
  /** Closes the store and opens it again with the same data. */
  reopen(): Promise<ImageStore>;
  close(): Promise<void>;
}

/** Conformance suite for implementations of ImageStore. */
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
      const pushed = await under.push(under.store.incoming(identity), files);
      return under.store.seal(identity, pushed);
    };

    it('finds an image by its names only after it is published', async () => {
      const identity = identityOf('a');
      const sealed = await seal(identity, { 'etc/a': 'a' });
      const { labels: _, ...names } = identity;
      expect(sealed).toMatchObject(names);
      expect(sealed.size).toBeGreaterThan(0);
      expect([
        under.store.byFingerprint(identity.fingerprint),
        under.store.byContentKey(identity.contentKey),
        under.store.list(),
      ]).toEqual([undefined, undefined, []]);
      await under.store.publish(sealed);
      expect([
        under.store.byFingerprint(identity.fingerprint),
        under.store.byContentKey(identity.contentKey),
        under.store.list(),
      ]).toEqual([sealed, sealed, [sealed]]);
    });

    it('has equal digests for equal pushes only', async () => {
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

    it('keeps only published images when it is opened again', async () => {
      const kept = await seal(identityOf('a'), { 'etc/a': 'a' });
      await under.store.publish(kept);
      await seal(identityOf('b'), { 'etc/a': 'b' });
      const again = await under.reopen();
      expect(again.list()).toEqual([kept]);
      await again.verify(kept.digest);
    });

    it('does not find a damaged image by any of its names until it is pushed again', async () => {
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

    it('includes the labels in the config', async () => {
      const sealed = await seal(identityOf('a'), { 'etc/a': 'a' });
      const { manifest, config } = await under.store.inspect(sealed.digest);
      expect(manifest).toMatchObject({ schemaVersion: 2 });
      expect(config).toMatchObject({
        config: { Labels: { 'org.opencontainers.image.title': 'Keystone' } },
      });
    });

    it('lists the files of a layer', async () => {
      const sealed = await seal(identityOf('a'), { 'etc/a': 'a', 'etc/b': 'b' });
      await under.store.publish(sealed);
      const { manifest } = await under.store.inspect(sealed.digest);
      const { layers } = manifest as { layers: readonly { digest: Digest }[] };
      const listed = async (store: ImageStore) =>
        (await Promise.all(layers.map(({ digest }) => store.listLayer(digest)))).flatMap(
          ({ members }) => members.filter(({ type }) => type === 'f').map(({ path }) => path),
        );
      expect(await listed(under.store)).toEqual(['etc/a', 'etc/b']);
      expect(await listed(await under.reopen())).toEqual(['etc/a', 'etc/b']);
      await expect(under.store.listLayer(digestOf('other'))).rejects.toMatchObject({
        code: 'store-corrupt',
      });
    });

    it('refuses to seal an image that was not pushed', async () => {
      await expect(under.store.seal(identityOf('a'), digestOf('a'))).rejects.toMatchObject({
        code: 'push-missing',
      });
    });

    it('refuses to seal a manifest that the engine did not push', async () => {
      const identity = identityOf('a');
      const pushed = await under.push(under.store.incoming(identity), { 'etc/a': 'a' });
      const other = await under.push(under.store.incoming(identity), { 'etc/a': 'b' });
      await expect(under.store.seal(identity, pushed)).rejects.toMatchObject({
        code: 'push-replaced',
        message: `the registry received ${other} as incoming/keystone, but the engine pushed ${pushed}`,
      });
      await under.store.seal(identity, other);
    });

    it('removes images and blobs without a kept fingerprint', async () => {
      const kept = await seal(identityOf('a'), { 'etc/a': 'a' });
      const dropped = await seal(identityOf('b'), { 'etc/b': 'b'.repeat(5000) });
      await under.store.publish(kept);
      await under.store.publish(dropped);
      expect(await under.store.collect(new Set([kept.fingerprint]))).toBeGreaterThan(0);
      expect(under.store.list()).toEqual([kept]);
      await under.store.verify(kept.digest);
      await expect(under.store.verify(dropped.digest)).rejects.toMatchObject({
        code: 'store-corrupt',
      });
    });
  });
}
