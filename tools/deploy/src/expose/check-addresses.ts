import { isIP } from 'node:net';
import type { NetworkPeer, Site } from '#definitions';
import type { Refuse } from './check-expose.ts';

/** Bits of an address by its version. */
const BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

interface Block {
  readonly cidr: string;
  readonly path: readonly string[];
}

/** Addresses and blocks of them in `cluster`, `expose` and `watchers` that there cannot be. */
export function checkAddresses({ cluster, expose, watchers = [] }: Site, refuse: Refuse): void {
  const blocksOf = (peers: readonly NetworkPeer[], path: readonly string[]): Block[] =>
    peers.flatMap(({ ipBlock }, index) => (ipBlock === undefined ? [] : [{ cidr: ipBlock.cidr, path: [...path, String(index), 'ipBlock', 'cidr'] }]));
  const nodes = (cluster.nodes ?? []).map((cidr, index): Block => ({ cidr, path: ['cluster', 'nodes', String(index)] }));
  for (const { cidr, path } of [...nodes, ...blocksOf(expose?.from ?? [], ['expose', 'from']), ...blocksOf(watchers, ['watchers'])]) {
    const [address = '', length] = cidr.split('/');
    const bits = BITS[isIP(address)];
    if (bits === undefined || Number(length) > bits)
      refuse(path, `${cidr} is no block of addresses`, bits === undefined ? 'write one such as 192.0.2.0/24' : `the number after the slash is at most ${bits}`);
  }
  for (const [index, address] of (expose?.gateway?.addresses ?? []).entries()) {
    if (isIP(address) === 0) refuse(['expose', 'gateway', 'addresses', String(index)], `${address} is no IP address`);
  }
}
