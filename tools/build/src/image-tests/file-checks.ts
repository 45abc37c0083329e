import { basename } from 'node:path/posix';
import { shortList, shownPath } from '#core';
import { MAX_NAMES } from './finding-text.ts';
import type { ProbedFile } from './probe-records.ts';
import type { CheckName, Finding, ImageExpectations } from './types.ts';

/** A kind of file that an image must not contain. */
interface FileRule {
  readonly check: CheckName;
  /** The object in `the image contains …: paths`. */
  readonly what: string;
  readonly matches: (file: ProbedFile, inputs: ReadonlySet<string>) => boolean;
  /** True if `tests.allow` can list exceptions. */
  readonly allowed: boolean;
  /** True if the rule does not apply to images that are only used in builds. */
  readonly shippedOnly: boolean;
}

const SETUID_OR_SETGID = 0o6000;
const PROGRAM_FOLDER = /\/s?bin\/[^/]+$|^\/usr\/lib(?:exec)?\/gcc/;
const COMPILER =
  /\/(?:[a-z0-9_]+-linux-(?:gnu|musl)[a-z0-9]*-)?(?:gcc|g\+\+|cc|c\+\+|cpp|c[89]9|clang|clang\+\+|gfortran|rustc|cargo|gccgo|tcc|cc1|cc1plus|collect2|lto1|as|ld|ld\.bfd|ld\.gold|ld\.lld|make|gmake|cmake|ninja|meson)(?:-[0-9.]+)?$/;
const HEADER = /^\/usr\/(?:local\/)?include\/|\.(?:h|H|hh|hpp|hxx|h\+\+)$/;
const PACKAGE_CACHE =
  /^\/var\/lib\/apt\/lists\/(?!lock$)|^\/var\/cache\/apt\/(?:.*\.bin|archives\/.*\.deb)$|\/\.cache\/(?:pip|uv)\/|^\/root\/\.cache\/|\/\.npm\/_cacache\/|\/go\/pkg\/mod\/cache\/|^\/var\/cache\/(?:pip|uv)\//;
const MOUNT_STUB =
  /^\/run\/(?:inputs?|debs|build|builder|sdists|sources|wheels|secrets|before|requirements\.txt)(?:\/|$)|\/\.inputs(?:\/|$)/;
const LOCKED_INPUT = /\.(?:u?deb|whl)$/i;
const REPOSITORY = /\/\.(?:git|hg|svn|bzr)$/;
const SOURCE_TREE =
  /\/(?:setup\.py|setup\.cfg|pyproject\.toml|configure\.ac|CMakeLists\.txt|meson\.build)$/;
const INSTALLED = /\/(?:site|dist)-packages\/|^\/usr\/(?:lib|share)\//;

const RULES: readonly FileRule[] = [
  {
    check: 'compiler',
    what: 'compilers or linkers',
    matches: ({ type, path }) => type !== 'd' && PROGRAM_FOLDER.test(path) && COMPILER.test(path),
    allowed: true,
    shippedOnly: true,
  },
  {
    check: 'header',
    what: 'C headers',
    matches: ({ type, path }) => type !== 'd' && HEADER.test(path),
    allowed: true,
    shippedOnly: true,
  },
  {
    check: 'package-cache',
    what: 'files of package manager caches',
    matches: ({ type, path }) => type === 'f' && PACKAGE_CACHE.test(path),
    allowed: false,
    shippedOnly: false,
  },
  {
    check: 'mount-stub',
    what: "remains of a build step's mounts",
    matches: ({ path }) => MOUNT_STUB.test(path),
    allowed: false,
    shippedOnly: false,
  },
  {
    check: 'locked-input',
    what: 'installation files of packages',
    matches: ({ type, path }, inputs) =>
      type === 'f' && (LOCKED_INPUT.test(path) || inputs.has(basename(path))),
    allowed: true,
    shippedOnly: false,
  },
  {
    check: 'git',
    what: 'version control repositories',
    matches: ({ path }) => REPOSITORY.test(path),
    allowed: false,
    shippedOnly: false,
  },
  {
    check: 'source-tree',
    what: 'source trees',
    matches: ({ type, path }) =>
      type === 'f' &&
      (path.startsWith('/usr/src/') || (SOURCE_TREE.test(path) && !INSTALLED.test(path))),
    allowed: true,
    shippedOnly: true,
  },
];

/** The checks that `imageFileFindings` performs on an image. */
export function fileChecks({ shipped }: Pick<ImageExpectations, 'shipped'>): readonly CheckName[] {
  return ['setuid', ...rulesOf(shipped).map(({ check }) => check)];
}

/** Findings about files that the image must not contain. */
export function imageFileFindings(
  files: readonly ProbedFile[],
  {
    shipped,
    setuid,
    allow,
    inputs,
  }: Pick<ImageExpectations, 'shipped' | 'setuid' | 'allow' | 'inputs'>,
): readonly Finding[] {
  const names = new Set(inputs);
  const raised = files.filter(
    ({ type, mode, path }) =>
      type === 'f' && (mode & SETUID_OR_SETGID) !== 0 && !setuid.includes(path),
  );
  const findings: Finding[] = [];
  if (raised.length > 0)
    findings.push({
      check: 'setuid',
      message: `files are setuid or setgid and not listed under tests.setuid: ${pathsOf(raised)}`,
    });
  for (const rule of rulesOf(shipped)) {
    const found = files.filter(
      (file) => rule.matches(file, names) && !(rule.allowed && isAllowed(file.path, allow)),
    );
    if (found.length > 0)
      findings.push({
        check: rule.check,
        message: `the image contains ${rule.what}: ${pathsOf(found)}`,
      });
  }
  return findings;
}

/** True if an entry of `allow` is the path, or its prefix followed by `*`. */
export function isAllowed(path: string, allow: readonly string[]): boolean {
  return allow.some((entry) =>
    entry.endsWith('*') ? path.startsWith(entry.slice(0, -1)) : path === entry,
  );
}

function rulesOf(shipped: boolean): readonly FileRule[] {
  return RULES.filter(({ shippedOnly }) => shipped || !shippedOnly);
}

function pathsOf(files: readonly ProbedFile[]): string {
  return shortList(files.map(({ path }) => shownPath(path)).sort(), MAX_NAMES);
}
