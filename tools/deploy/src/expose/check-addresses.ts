import { isIP } from 'node:net';
import type { Site } from '#definitions';
import type { Refuse } from './check-expose.ts';

/** Bits of an address by its version. */
const BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** Addresses and blocks of them in `expose` and `watchers` that there cannot be. */
export function checkAddresses({ expose, watchers = [] }: Site, refuse: Refuse): void {
  const peers = [...(expose?.from ?? []).map((peer, index) => ({ peer, path: ['expose', 'from', String(index)] })), ...watchers.map((peer, index) => ({ peer, path: ['watchers', String(index)] }))];
  for (const { peer, path } of peers) {
    if (peer.ipBlock === undefined) continue;
    const { cidr } = peer.ipBlock;
    const [address = '', length] = cidr.split('/');
    const bits = BITS[isIP(address)];
    if (bits === undefined || Number(length) > bits) refuse([...path, 'ipBlock', 'cidr'], `${cidr} is no block of addresses`, bits === undefined ? 'write one such as 192.0.2.0/24' : `the number after the slash is at most ${bits}`);
  }
  for (const [index, address] of (expose?.gateway?.addresses ?? []).entries()) {
    if (isIP(address) === 0) refuse(['expose', 'gateway', 'addresses', String(index)], `${address} is no IP address`);
  }
}
