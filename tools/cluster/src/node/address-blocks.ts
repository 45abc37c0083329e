import { isIPv4 } from 'node:net';

interface Block {
  readonly start: number;
  readonly bits: number;
}

/**
 * The IPv4 blocks of `cidr` without the addresses in `except`, sorted. Empty for IPv6 blocks: the
 * cluster has no IPv6 addresses.
 */
export function addressBlocks(cidr: string, except: readonly string[] = []): readonly string[] {
  const whole = parseBlock(cidr);
  if (whole === undefined) return [];
  const holes = except.flatMap((each) => parseBlock(each) ?? []);
  return without(whole, holes).map(textOf);
}

function without(block: Block, holes: readonly Block[]): Block[] {
  const inside = holes.filter((hole) => covers(block, hole) || covers(hole, block));
  if (inside.length === 0) return [block];
  if (inside.some((hole) => covers(hole, block))) return [];
  const bits = block.bits + 1;
  return [0, 2 ** (32 - bits)].flatMap((offset) =>
    without({ start: block.start + offset, bits }, inside),
  );
}

function covers(outer: Block, inner: Block): boolean {
  const size = 2 ** (32 - outer.bits);
  return outer.bits <= inner.bits && inner.start >= outer.start && inner.start < outer.start + size;
}

function parseBlock(cidr: string): Block | undefined {
  const [address = '', length = '32'] = cidr.split('/');
  if (!isIPv4(address)) return undefined;
  const bits = Number(length);
  const size = 2 ** (32 - bits);
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return { start: number - (number % size), bits };
}

function textOf({ start, bits }: Block): string {
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256);
  return `${parts.join('.')}/${bits}`;
}
