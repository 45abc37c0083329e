import { onPath } from '#host';

/** Programs the tests call, and the Debian package of each; Chromium looks at the dashboard, zsh completes commands. What `ccp up` needs comes beside these. */
const UNIT: Readonly<Record<string, string>> = {
  git: 'git',
  openssl: 'openssl',
  pip3: 'python3-pip',
  python3: 'python3',
  'ssh-keygen': 'openssh-client',
  tar: 'tar',
  xz: 'xz-utils',
};
const ENGINE: Readonly<Record<string, string>> = { chromium: 'chromium', ip: 'iproute2', nsenter: 'util-linux', skopeo: 'skopeo', zsh: 'zsh' };

/** Debian packages of the programs that the tests need and that are not on the PATH. */
export function missingTestPackages(fast: boolean, path = process.env['PATH'] ?? ''): readonly string[] {
  const needed = fast ? UNIT : { ...UNIT, ...ENGINE };
  return Object.entries(needed)
    .filter(([program]) => !onPath(program, path))
    .map(([, packageName]) => packageName);
}
