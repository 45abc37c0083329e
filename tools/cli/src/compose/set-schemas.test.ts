import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf, imageName, type Digest } from '#core';
import type { ImageStore } from '#ports';
import type { ImageSet, ImageSetEntry, SchemaRevisions } from '#release';
import { openStore } from '#store';
import { fixtureTar } from '../../../store/src/testing/fixture-tar.ts';
import { pushAndSeal, testIdentity } from '../../../store/src/testing/push-image.ts';
import { withSchemas } from './set-schemas.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-set-schemas-'));
const folder = join(root, 'store');
let store: ImageStore;
beforeAll(async () => {
  store = await openStore({ folder });
});
afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

/** Stores an image with this text in its file of migrations, if any; returns its digest. */
async function stored(text?: string): Promise<Digest> {
  const name = 'opt/openstack/share/ccp/schema-changes.json';
  const content = text === undefined ? [] : [{ name, type: 'file' as const, content: text }];
  const image = await pushAndSeal(store, testIdentity('app', text), [
    fixtureTar([{ name: 'a', type: 'file' }, ...content]),
  ]);
  await store.publish(image);
  return image.digest;
}

const SOURCES = { app: { repository: 'https://git.test/app', commit: 'a'.repeat(40) } };

function setOf(digest: Digest, more: Partial<ImageSetEntry> = {}): ImageSet {
  const images = [{ name: imageName('app'), digest, sources: SOURCES, ...more }];
  return { format: 1, series: '2026.1', images } as unknown as ImageSet;
}

const schemaOf = async (set: ImageSet, earlier?: ImageSet) =>
  (await withSchemas(set, earlier, folder)).images[0]!.schema;

describe('withSchemas', () => {
  const text = JSON.stringify({
    format: 1,
    revisions: {
      a: { after: [], changes: [] },
      b: {
        after: ['a'],
        contract: true,
        file: 'b.py',
        changes: [['destructive', 'drops a column', 3]],
      },
    },
  });
  const schema: SchemaRevisions = {
    a: { after: [] },
    b: {
      after: ['a'],
      contract: true,
      file: 'b.py',
      changes: [{ class: 'destructive', text: 'drops a column', line: 3 }],
    },
  };

  it('reads the migrations of an image with sources', async () => {
    expect(await schemaOf(setOf(await stored(text)))).toEqual(schema);
    expect(await schemaOf(setOf(await stored()))).toEqual({});
  });

  it('reads no image without sources', async () => {
    expect(await schemaOf(setOf(digestOf('missing'), { sources: {} }))).toBeUndefined();
  });

  it('keeps the migrations of the same image in the earlier set, without the store', async () => {
    const digest = digestOf('missing');
    expect(await schemaOf(setOf(digest), setOf(digest, { schema }))).toEqual(schema);
    const { after: _, ...unordered } = schema['b']!;
    await expect(
      schemaOf(setOf(digest), setOf(digest, { schema: { b: unordered } })),
      'without the order of migrations',
    ).rejects.toThrow(expect.objectContaining({ code: 'store-corrupt' }));
    await expect(schemaOf(setOf(digest), setOf(digestOf('other'), { schema }))).rejects.toThrow(
      expect.objectContaining({ code: 'store-corrupt' }),
    );
  });

  it('names the image with an invalid file', async () => {
    const digest = await stored('{"format":2}');
    await expect(schemaOf(setOf(digest))).rejects.toThrow(
      expect.objectContaining({
        code: 'image-set-invalid',
        message:
          '/opt/openstack/share/ccp/schema-changes.json of app is not valid: its format is not 1',
        hint: 'the builder image writes this file; build the image again after a fix of openstack-builder',
      }),
    );
  });
});
