import { expect, it } from 'vitest';
import { CcpError, CcpErrors, imageName, type ImageName } from '#core';
import { fetchOrFaults } from './fetch-or-faults.ts';

const IMAGES = ['base', 'a', 'b', 'a-child'].map(imageName);
const PARENTS: Readonly<Record<string, readonly ImageName[]>> = {
  a: [imageName('base')],
  b: [imageName('base')],
  'a-child': ['a', 'base'].map(imageName),
};
const ancestors = (image: ImageName): readonly ImageName[] => PARENTS[image] ?? [];
const wrong = new CcpError({
  code: 'checksum-mismatch',
  message: 'a file has other bytes',
  inputs: ['a.deb'],
  hint: 'lock again',
});
const gone = new CcpError({
  code: 'file-gone',
  message: 'b.deb is gone, as is a.deb of another archive',
  inputs: ['b.deb'],
});

function fetched(raised: CcpError | undefined, lacking: readonly string[]) {
  return fetchOrFaults(IMAGES, ancestors, {
    fetch: async () => {
      if (raised !== undefined) throw raised;
    },
    lacking: async (image) => (lacking.includes(image) ? [`${image}.deb`] : []),
  });
}

it('returns no faults if all inputs were fetched', async () => {
  expect((await fetched(undefined, ['a'])).faults.size).toBe(0);
});

it.each([
  [wrong, 'checksum-mismatch: 1 locked input could not be fetched (a.deb): a file has other bytes'],
  [
    new CcpErrors([gone, wrong]),
    'checksum-mismatch: 1 locked input could not be fetched (a.deb): a file has other bytes',
  ],
  [
    new CcpError({ code: 'offline-missing', message: '9 files' }),
    'offline-missing: 1 locked input could not be fetched (a.deb): not in the cache',
  ],
])(
  'reports the missing input of an image (%s) if other images can be built',
  async (raised, reported) => {
    const { faults, raised: kept } = await fetched(raised, ['a']);
    expect([...faults].map(([image, { code, message }]) => `${image} ${code}: ${message}`)).toEqual(
      [`a ${reported}`],
    );
    expect(kept).toBe(raised);
  },
);

it('throws an error that concerns all images or more than single inputs', async () => {
  await expect(fetched(wrong, ['base'])).rejects.toBe(wrong);
  await expect(fetched(wrong, ['a', 'b', 'base'])).rejects.toBe(wrong);
  await expect(fetched(wrong, [])).rejects.toBe(wrong);
  for (const code of ['cache-full', 'mirror-unreachable']) {
    const fault = new CcpError({ code, message: 'for all' });
    await expect(fetched(fault, ['a'])).rejects.toBe(fault);
    const both = new CcpErrors([wrong, fault]);
    await expect(fetched(both, ['a'])).rejects.toBe(both);
  }
});
