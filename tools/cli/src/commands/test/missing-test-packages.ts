import { isInPath } from '#host';

/**
 * Programs of the tests and their Debian packages: Chromium tests the dashboard, fish
 * and zsh the completion. `ccp up` has its own list.
 */
const UNIT: Readonly<Record<string, string>> = {
  git: 'git',
  openssl: 'openssl',
  pip3: 'python3-pip',
  python3: 'python3',
  'ssh-keygen': 'openssh-client',
  tar: 'tar',
  xz: 'xz-utils',
};
const ENGINE: Readonly<Record<string, string>> = {
  chromium: 'chromium',
  fish: 'fish',
  ip: 'iproute2',
  nsenter: 'util-linux',
  skopeo: 'skopeo',
  zsh: 'zsh',
};

/** Debian packages of test programs that are not on the PATH. */
export function missingTestPackages(
  fast: boolean,
  path = process.env['PATH'] ?? '',
): readonly string[] {
  const needed = fast ? UNIT : { ...UNIT, ...ENGINE };
  return Object.entries(needed)
    .filter(([program]) => !isInPath(program, path))
    .map(([, packageName]) => packageName);
}
