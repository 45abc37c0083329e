import { onPath } from '#host';
import { findNetworkPlugins } from '../node/containerd.ts';
import { PROGRAM_PATH } from '../running-program.ts';

/** Debian's package of each program that a cluster calls. */
const PACKAGES = {
  containerd: 'containerd',
  ctr: 'containerd',
  runc: 'runc',
  ip: 'iproute2',
  iptables: 'iptables',
  openssl: 'openssl',
  unshare: 'util-linux',
  setpriv: 'util-linux',
} as const;

/** Debian packages that a cluster needs and this machine lacks; Go's only where programs are still to be built. */
export function missingPackages({ toBuild }: { readonly toBuild: boolean }): readonly string[] {
  const path = `${PROGRAM_PATH}:${process.env['PATH'] ?? ''}`;
  const missing = Object.entries({ ...PACKAGES, ...(toBuild ? { go: 'golang-go' } : {}) })
    .filter(([program]) => !onPath(program, path))
    .map(([, name]) => name);
  return [...new Set([...missing, ...(findNetworkPlugins() === undefined ? ['containernetworking-plugins'] : [])])].sort();
}
