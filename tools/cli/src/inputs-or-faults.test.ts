import { expect, it } from 'vitest';
import { CcpError, CcpErrors, imageName, type ImageName } from '#core';
import { inputsOrFaults } from './inputs-or-faults.ts';

const IMAGES = ['base', 'a', 'b', 'a-child'].map(imageName);
const PARENTS: Readonly<Record<string, readonly ImageName[]>> = { a: [imageName('base')], b: [imageName('base')], 'a-child': ['a', 'base'].map(imageName) };
const ancestors = (image: ImageName): readonly ImageName[] => PARENTS[image] ?? [];
const wrong = new CcpError({ code: 'checksum-mismatch', message: 'other bytes' });

async function fetched(raised: CcpError | undefined, lacking: readonly string[]) {
  return inputsOrFaults(IMAGES, ancestors, {
    all: async () => {
      if (raised !== undefined) throw raised;
    },
    cached: async (image) => {
      if (lacking.includes(image)) throw new CcpError({ code: 'offline-missing', message: `${image} lacks a file` });
    },
  });
}

it('has no fault where all inputs came', async () => {
  expect((await fetched(undefined, ['a'])).faults.size).toBe(0);
});

it('names the images that lack an input, where others can be built without them', async () => {
  for (const raised of [wrong, new CcpErrors([wrong, new CcpError({ code: 'file-gone', message: 'gone' })])]) {
    const { faults, raised: told } = await fetched(raised, ['a']);
    expect([...faults].map(([image, { message }]) => `${image}: ${message}`)).toEqual(['a: a lacks a file']);
    expect(told).toBe(raised);
  }
});

it('raises what stands against all of them, and what is no fault of single inputs', async () => {
  await expect(fetched(wrong, ['base'])).rejects.toBe(wrong);
  await expect(fetched(wrong, ['a', 'b', 'base'])).rejects.toBe(wrong);
  const full = new CcpError({ code: 'cache-full', message: 'no space' });
  await expect(fetched(full, ['a'])).rejects.toBe(full);
  const both = new CcpErrors([wrong, full]);
  await expect(fetched(both, ['a'])).rejects.toBe(both);
});
