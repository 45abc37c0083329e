import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CcpError, digestOf } from '#core';
import type { ImageStore } from '#ports';
import { openStore } from '../index.ts';
import { fixtureTar } from '../testing/fixture-tar.ts';
import { pushAndSeal, pushTestImage, testIdentity } from '../testing/push-image.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-seal-'));
const baseTar = fixtureTar([{ name: 'etc/base', type: 'file', content: 'base' }]);
const childTar = fixtureTar([{ name: 'opt', type: 'file', content: 'child' }]);
const oddTar = fixtureTar([{ name: 'odd', type: 'file' }]);
let store: ImageStore;

beforeAll(async () => {
  store = await openStore({ folder });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe('sealing', () => {
  it('reuses the base’s layers in a child, without the labels that describe the base', async () => {
    const base = await pushAndSeal(store, testIdentity('base'), [baseTar], {
      config: { Labels: { own: 'yes' } },
    });
    const identity = { ...testIdentity('child', '', base.digest), labels: {} };
    const child = await pushAndSeal(store, identity, [baseTar, childTar], {
      config: { Labels: { own: 'yes', 'org.opencontainers.image.title': 'base' } },
    });
    const [parent, image] = [
      await store.inspect(base.digest),
      await store.inspect(child.digest),
    ] as unknown as { manifest: { layers: unknown[] } }[];
    expect(image?.manifest.layers).toEqual([...(parent?.manifest.layers ?? []), expect.anything()]);
    expect(image).toMatchObject({
      config: {
        config: { Labels: { own: 'yes' } },
        history: [{ created_by: 'ccp build base' }, { created_by: 'ccp build child' }],
      },
    });
    await expect(pushAndSeal(store, identity, [childTar])).rejects.toThrow(
      `the pushed image of child is not based on its base image ${base.digest}`,
    );
  });

  it('refuses an image without a base parent that is based on another image', async () => {
    const own = { created_by: 'COPY root/ / # buildkit', comment: 'buildkit.dockerfile.v0' };
    const identity = testIdentity('rootless');
    await pushAndSeal(store, identity, [baseTar], { history: [own] });
    await expect(
      pushAndSeal(store, identity, [baseTar], {
        history: [{ created_by: 'ccp build base' }, own],
      }),
    ).rejects.toThrow(
      new CcpError({
        code: 'base-mismatch',
        message:
          'the pushed image of rootless is based on another image, but its definition has no base parent (step "ccp build base")',
        hint: 'in its template, start the last stage FROM scratch',
      }),
    );
  });

  it.each([
    [
      'a diff id of another layer',
      { diffIds: [digestOf('x')] },
      `has the diff id ${digestOf(oddTar)}, but the pushed image's configuration lists ${digestOf('x')}`,
    ],
    [
      'another platform',
      { architecture: 'arm64' },
      'the pushed image of odd is invalid: it is for linux/arm64, not linux/amd64',
    ],
    [
      'a missing diff id',
      { diffIds: [] },
      'the pushed image of odd is invalid: it has 1 layers but 0 diff ids',
    ],
    [
      'settings of a wrong type',
      { config: { Env: 'A=1' } },
      'the pushed image of odd is invalid: Env is not a list',
    ],
  ])('refuses a push with %s', async (_, pushed, message) => {
    const identity = testIdentity('odd');
    await expect(pushAndSeal(store, identity, [oddTar], pushed)).rejects.toThrow(message);
  });

  it('stops when it is cancelled', async () => {
    const identity = testIdentity('cancelled');
    const { digest } = await pushTestImage(store, identity, [
      fixtureTar([{ name: 'cancelled', type: 'file' }]),
    ]);
    await expect(store.seal(identity, digest, AbortSignal.abort())).rejects.toThrow(
      'normalising a layer was cancelled',
    );
    await expect(store.seal(testIdentity('absent'), digest)).rejects.toThrow(
      'nothing was pushed for absent',
    );
    await expect(store.seal(identity, digest)).resolves.toMatchObject({ image: 'cancelled' });
  });
});
