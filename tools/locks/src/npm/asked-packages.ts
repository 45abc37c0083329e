import { CcpError, messageOf, nearest } from '#core';

/** A package as `package-lock.json` names it: by where it is installed. */
export interface AskedPackage {
  /** `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Subresource integrity (`sha512-…`); absent for a package that the definition gives a version itself. */
  readonly integrity?: string;
}

interface LockedEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

type Entries = Readonly<Record<string, LockedEntry>>;

/** What images run on. */
const PLATFORM = { os: 'linux', cpu: 'x64', libc: 'glibc' } as const;
const PINNED = /^((?:@[^@/]+\/)?[^@/]+)@(.+)$/;

function entriesIn(lockfile: string): Entries {
  try {
    return (JSON.parse(lockfile) as { readonly packages?: Entries }).packages ?? {};
  } catch (cause) {
    const message = `the repository's package-lock.json is not JSON (${messageOf(cause)})`;
    throw new CcpError({
      code: 'npm-lock-invalid',
      message,
      hint: 'where npm writes it just now, wait; else take it from git again',
      at: { file: 'package-lock.json' },
      cause,
    });
  }
}

/**
 * The packages that `packages` ask for, by path. `NAME@VERSION` is that alone; `NAME` is the package that the repository's
 * package-lock.json has, with all it needs on Linux, as Node would find it. `lockfile` is that file's text, absent where there is
 * none. Raises `npm-unknown` for what it does not have, `npm-lock-invalid` where it is no JSON.
 */
export function askedPackages(packages: readonly string[], lockfile: string | undefined): readonly AskedPackage[] {
  const entries = lockfile === undefined ? {} : entriesIn(lockfile);
  const found = new Map<string, AskedPackage>();
  for (const asked of packages) {
    const [, name, version] = PINNED.exec(asked) ?? [];
    if (name !== undefined && version !== undefined) found.set(`node_modules/${name}`, { path: `node_modules/${name}`, name, version });
    else follow(entries, asked, '', found);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Adds the package that `from` (a path; empty for the repository) would load as `name`, and what it needs. */
function follow(entries: Entries, name: string, from: string, found: Map<string, AskedPackage>): void {
  const path = placeOf(entries, name, from);
  if (path === undefined) throw unknown(entries, name, from);
  if (found.has(path)) return;
  const { version, integrity, dependencies = {}, optionalDependencies = {} } = entries[path]!;
  if (version === undefined || integrity === undefined) throw unknown(entries, name, from);
  found.set(path, { path, name, version, integrity });
  for (const needed of Object.keys(dependencies)) {
    if (!Object.hasOwn(optionalDependencies, needed)) follow(entries, needed, path, found);
  }
  for (const wanted of Object.keys(optionalDependencies)) {
    const place = placeOf(entries, wanted, path);
    if (place !== undefined && fits(entries[place]!)) follow(entries, wanted, path, found);
  }
}

/** Where Node finds a package: in the folder that asks, then in those above it. */
function placeOf(entries: Entries, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (Object.hasOwn(entries, path)) return path;
    if (folder === '') return undefined;
  }
}

function fits({ os, cpu, libc }: LockedEntry): boolean {
  const allows = (list: readonly string[] | undefined, here: string): boolean =>
    list === undefined || (!list.includes(`!${here}`) && (list.includes(here) || list.every((item) => item.startsWith('!'))));
  return allows(os, PLATFORM.os) && allows(cpu, PLATFORM.cpu) && allows(libc, PLATFORM.libc);
}

function unknown(entries: Entries, name: string, from: string): CcpError {
  const names = Object.keys(entries).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1] ?? []);
  const meant = nearest(name, names);
  return new CcpError({
    code: 'npm-unknown',
    message: `the repository's package-lock.json has no package ${name}${from === '' ? '' : `, which ${from} needs`}`,
    hint: meant === undefined ? 'add it to package.json, or name it with its version' : `did you mean ${meant}?`,
  });
}
