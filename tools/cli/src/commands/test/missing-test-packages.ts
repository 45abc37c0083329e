import { isInPath } from '#host';
import type { SelectedTests } from './select-tests.ts';
import { groupOf } from './test-groups.ts';

/** Programs of all tests and their Debian packages. `ccp up` has its own list. */
const UNIT: Readonly<Record<string, string>> = {
  git: 'git',
  openssl: 'openssl',
  pip3: 'python3-pip',
  python3: 'python3',
  'ssh-keygen': 'openssh-client',
  tar: 'tar',
  xz: 'xz-utils',
};
/** Programs of the tests that need an engine or a cluster. */
const ENGINE: Readonly<Record<string, string>> = { ip: 'iproute2', nsenter: 'util-linux' };
/** Programs that one test file needs. */
const OF_FILE: readonly {
  readonly program: string;
  readonly packageName: string;
  readonly file: string;
}[] = [
  { program: 'chromium', packageName: 'chromium', file: 'tests/e2e/openstack.cloud.test.ts' },
  { program: 'fish', packageName: 'fish', file: 'tools/cli/src/commands/completion.test.ts' },
  { program: 'skopeo', packageName: 'skopeo', file: 'tests/e2e/stored-image.engine.test.ts' },
  { program: 'zsh', packageName: 'zsh', file: 'tools/cli/src/commands/completion.test.ts' },
];

/**
 * Debian packages of programs of the selected tests that are not on the PATH. The fast tests skip
 * what needs more than `UNIT` if only they run.
 */
export function missingTestPackages(
  selection: SelectedTests,
  path = process.env['PATH'] ?? '',
): readonly string[] {
  const others = [...selection.keys()].some((group) => group !== 'fast');
  const has = (file: string): boolean => {
    const files = selection.get(groupOf(file));
    return files !== undefined && (files.length === 0 || files.includes(file));
  };
  const needed = [
    ...Object.entries(UNIT),
    ...(others ? Object.entries(ENGINE) : []),
    ...OF_FILE.filter(({ file }) => others && has(file)).map(
      ({ program, packageName }) => [program, packageName] as const,
    ),
  ];
  return needed
    .filter(([program]) => !isInPath(program, path))
    .map(([, packageName]) => packageName);
}

/**
 * A line that names a selected file which needs an engine or a cluster, if files of the fast group
 * are selected too; undefined for whole groups.
 */
export function heavyFileNote(selection: SelectedTests): string | undefined {
  const [file] = [...selection].flatMap(([group, files]) => (group === 'fast' ? [] : files));
  if (file === undefined || !selection.has('fast')) return undefined;
  return `${file} needs an engine or a cluster, and Debian packages; leave out such files with --group fast`;
}
