import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
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
  const missing = Object.entries({ ...PACKAGES, ...(toBuild ? { go: 'golang-go' } : {}) })
    .filter(([program]) => !isThere(program))
    .map(([, name]) => name);
  return [...new Set([...missing, ...(findNetworkPlugins() === undefined ? ['containernetworking-plugins'] : [])])].sort();
}

function isThere(program: string): boolean {
  return [...PROGRAM_PATH.split(':'), ...(process.env['PATH'] ?? '').split(':')].some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
