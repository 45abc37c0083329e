import { expect, it } from 'vitest';
import { addressBlocks } from './address-blocks.ts';

it.each<[string, readonly string[], readonly string[]]>([
  ['192.0.2.0/24', [], ['192.0.2.0/24']],
  ['192.0.2.9/24', [], ['192.0.2.0/24']],
  ['192.0.2.9', [], ['192.0.2.9/32']],
  ['192.0.2.0/24', ['192.0.2.0/24'], []],
  ['192.0.2.0/24', ['0.0.0.0/0'], []],
  ['192.0.2.0/24', ['198.51.100.0/24'], ['192.0.2.0/24']],
  ['192.0.2.0/24', ['192.0.2.128/25'], ['192.0.2.0/25']],
  ['192.0.2.0/30', ['192.0.2.1/32'], ['192.0.2.0/32', '192.0.2.2/31']],
  ['0.0.0.0/0', ['128.0.0.0/2', '192.0.0.0/2'], ['0.0.0.0/1']],
  ['::/0', [], []],
  ['0.0.0.0/0', ['::/0'], ['0.0.0.0/0']],
])('subtracts blocks from %s: %j', (cidr, except, blocks) => {
  expect(addressBlocks(cidr, except)).toEqual(blocks);
});

it('returns one block per bit for a single excepted address', () => {
  const blocks = addressBlocks('0.0.0.0/0', ['10.1.2.3/32']);
  expect(blocks).toHaveLength(32);
  expect(blocks).toContain('128.0.0.0/1');
  expect(blocks).toContain('10.1.2.2/32');
});
