import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPackages } from '../helpers/debian/unpack-packages.ts';

/** Folders of the machine that the engine needs in its own root. */
const SHARED = ['/proc', '/sys', '/dev', '/run', '/tmp'];

/** A program that starts the engine of a Debian release. */
export interface ForeignDockerd {
  /** Absolute path, with the arguments of `dockerd`. */
  readonly program: string;
  /** Debian's version of the package docker.io. */
  readonly version: string;
}

/**
 * Downloads docker.io of a Debian release with all its dependencies, unpacks them into
 * `folder`/root, and writes a program that starts this dockerd in a mount namespace of its own with
 * that root. apt checks the signature of the release; nothing is installed on the machine. `data`
 * is the folder of the engine's data, at the same path inside and outside. Throws if apt fails.
 */
export function unpackDockerd(release: string, folder: string, data: string): ForeignDockerd {
  const packages = unpackPackages(release, ['docker.io', 'mount'], folder);
  const root = join(folder, 'root');
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\n');
  const engine = packages.find((name) => name.startsWith('docker.io_'));
  if (engine === undefined) throw new Error(`Debian ${release} has no package docker.io`);
  return {
    program: writeProgram(folder, root, [...SHARED, data]),
    version: decodeURIComponent(engine.split('_')[1]!),
  };
}

function writeProgram(folder: string, root: string, shared: readonly string[]): string {
  const program = join(folder, 'dockerd');
  // A chroot is not enough: newer engines unpack layers in a chroot of their own and pivot their
  // root.
  const mounts = shared.map(
    (path) => `mkdir -p "${root}${path}"; mount --rbind "${path}" "${root}${path}"`,
  );
  writeFileSync(
    program,
    `#!/bin/sh
exec unshare --mount --propagation private sh -ec '
mount --bind "${root}" "${root}"
${mounts.join('\n')}
cd "${root}"
mkdir -p .machine
pivot_root . .machine
umount --lazy /.machine
exec /usr/sbin/dockerd "$@"
' dockerd "$@"
`,
  );
  chmodSync(program, 0o755);
  return program;
}
