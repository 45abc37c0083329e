import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const ARCHIVE = /^\s*(?:URIs:\s*|deb(?:-src)?\s+(?:\[[^\]]*\]\s+)?)(\S+\/debian\/?)(?:\s|$)/mu;
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
  const root = join(folder, 'root');
  const apt = join(folder, 'apt');
  const archives = join(apt, 'cache/archives');
  for (const path of [root, join(apt, 'state/lists/partial'), join(archives, 'partial')])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(apt, 'status'), '');
  writeFileSync(
    join(apt, 'sources.list'),
    `deb [signed-by=${KEYRING}] ${debianArchive()} ${release} main\n`,
  );
  const options = [
    `Dir::State=${join(apt, 'state')}`,
    `Dir::State::status=${join(apt, 'status')}`,
    `Dir::Cache=${join(apt, 'cache')}`,
    `Dir::Etc::sourcelist=${join(apt, 'sources.list')}`,
    'Dir::Etc::sourceparts=/nonexistent',
    'APT::Install-Recommends=false',
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  run('apt-get', [...options, '-qq', 'update']);
  run('apt-get', [
    ...options,
    '-qq',
    '-y',
    '--download-only',
    'install',
    'docker.io',
    'base-files',
    'mount',
  ]);
  // base-files first: its links such as bin -> usr/bin decide where files of other packages go.
  const packages = readdirSync(archives).filter((name) => name.endsWith('.deb'));
  const first = (name: string): number => (name.startsWith('base-files_') ? 0 : 1);
  for (const name of packages.toSorted((a, b) => first(a) - first(b)))
    run('dpkg-deb', ['-x', join(archives, name), root]);
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

/** The Debian archive of this machine's apt sources. */
function debianArchive(): string {
  const parts = '/etc/apt/sources.list.d';
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(parts) ? readdirSync(parts).map((name) => join(parts, name)) : []),
  ];
  for (const file of files.filter((path) => existsSync(path))) {
    const archive = ARCHIVE.exec(readFileSync(file, 'utf8'))?.[1];
    if (archive !== undefined) return archive;
  }
  throw new Error('the apt sources of this machine name no Debian archive');
}

function run(program: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
}
