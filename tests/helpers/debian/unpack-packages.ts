import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const ARCHIVE = /^\s*(?:URIs:\s*|deb(?:-src)?\s+(?:\[[^\]]*\]\s+)?)(\S+\/debian\/?)(?:\s|$)/mu;

/**
 * Downloads packages of a Debian release with all their dependencies, and unpacks them into
 * `folder`/root. apt checks the signature of the release; nothing is installed on the machine.
 * Returns the file names of the packages. Throws if apt fails.
 */
export function unpackPackages(
  release: string,
  names: readonly string[],
  folder: string,
): readonly string[] {
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
  const install = ['-qq', '-y', '--download-only', 'install', 'base-files', ...names];
  run('apt-get', [...options, ...install]);
  // base-files first: its links such as bin -> usr/bin decide where files of other packages go.
  const packages = readdirSync(archives).filter((name) => name.endsWith('.deb'));
  const first = (name: string): number => (name.startsWith('base-files_') ? 0 : 1);
  for (const name of packages.toSorted((a, b) => first(a) - first(b)))
    run('dpkg-deb', ['-x', join(archives, name), root]);
  return packages;
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
