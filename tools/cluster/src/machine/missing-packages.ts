import { isInPath } from '#host';
import { findNetworkPlugins } from '../node/containerd.ts';
import { PROGRAM_PATH } from '../running-program.ts';

/** Debian package of each program that a cluster runs. */
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

/** Missing Debian packages that a cluster needs; Go only if programs must still be built. */
export function missingPackages({ toBuild }: { readonly toBuild: boolean }): readonly string[] {
  const path = `${PROGRAM_PATH}:${process.env['PATH'] ?? ''}`;
  const missing = Object.entries({ ...PACKAGES, ...(toBuild ? { go: 'golang-go' } : {}) })
    .filter(([program]) => !isInPath(program, path))
    .map(([, name]) => name);
  return [
    ...new Set([
      ...missing,
      ...(findNetworkPlugins() === undefined ? ['containernetworking-plugins'] : []),
    ]),
  ].sort();
}
