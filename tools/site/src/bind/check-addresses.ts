import { isIP } from 'node:net';
import type { CcpError } from '#core';
import type { NetworkPeer, Site } from '#definitions';
import { siteFindings } from './site-findings.ts';

/** Bits of an address by its version. */
const BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

interface Block {
  readonly cidr: string;
  readonly path: readonly string[];
}

/** Reports invalid IP addresses and CIDR blocks in `cluster`, `expose`, `watchers` and `egress`. */
export function checkAddresses(site: Site): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const { cluster, expose, watchers = [], apps } = site;
  const blocksOf = (peers: readonly NetworkPeer[], path: readonly string[]): Block[] =>
    peers.flatMap(({ ipBlock }, index) =>
      ipBlock === undefined
        ? []
        : [{ cidr: ipBlock.cidr, path: [...path, String(index), 'ipBlock', 'cidr'] }],
    );
  const nodes = (cluster.nodes ?? []).map((cidr, index): Block => ({
    cidr,
    path: ['cluster', 'nodes', String(index)],
  }));
  const egress = Object.entries(apps).flatMap(([name, app]) =>
    (app.egress ?? []).flatMap(({ to = [] }, index) =>
      blocksOf(to, ['apps', name, 'egress', String(index), 'to']),
    ),
  );
  for (const { cidr, path } of [
    ...nodes,
    ...blocksOf(expose?.from ?? [], ['expose', 'from']),
    ...blocksOf(watchers, ['watchers']),
    ...egress,
  ]) {
    const [address = '', length] = cidr.split('/');
    const bits = BITS[isIP(address)];
    if (bits === undefined || Number(length) > bits)
      refuse(
        path,
        `${cidr} is not a CIDR block`,
        bits === undefined
          ? 'use a form such as 192.0.2.0/24'
          : `the prefix length is at most ${bits}`,
      );
  }
  for (const [index, address] of (expose?.gateway?.addresses ?? []).entries()) {
    if (isIP(address) === 0)
      refuse(['expose', 'gateway', 'addresses', String(index)], `${address} is not an IP address`);
  }
  return findings;
}
