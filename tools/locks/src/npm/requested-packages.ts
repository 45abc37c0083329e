import { CcpError, messageOf, nearest } from '#core';

/** A package of `package-lock.json`, identified by its install path. */
export interface RequestedPackage {
  /** `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Subresource integrity (`sha512-…`); absent if the definition sets the version. */
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

/** Platform of the images. */
const PLATFORM = { os: 'linux', cpu: 'x64', libc: 'glibc' } as const;
const PINNED = /^((?:@[^@/]+\/)?[^@/]+)@(.+)$/;

function entriesIn(lockfile: string): Entries {
  try {
    return (JSON.parse(lockfile) as { readonly packages?: Entries }).packages ?? {};
  } catch (cause) {
    const message = `the repository's package-lock.json is not valid JSON (${messageOf(cause)})`;
    throw new CcpError({
      code: 'npm-lock-invalid',
      message,
      hint: 'if npm is running, wait until it is done; otherwise restore the file from git',
      at: { file: 'package-lock.json' },
      cause,
    });
  }
}

/**
 * Resolves `packages`, sorted by path. `NAME@VERSION` is this package without dependencies; `NAME`
 * is the package in the repository's package-lock.json with its dependencies on Linux, found like
 * Node does. `lockfile` is the file's text, or `undefined` if it does not exist. Raises
 * `npm-unknown` for a missing package and `npm-lock-invalid` if the file is not JSON.
 */
export function requestedPackages(
  packages: readonly string[],
  lockfile: string | undefined,
): readonly RequestedPackage[] {
  const entries = lockfile === undefined ? {} : entriesIn(lockfile);
  const found = new Map<string, RequestedPackage>();
  for (const item of packages) {
    const [, name, version] = PINNED.exec(item) ?? [];
    if (name !== undefined && version !== undefined)
      found.set(`node_modules/${name}`, { path: `node_modules/${name}`, name, version });
    else follow(entries, item, '', found);
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Adds the package that `from` (a path; empty for the repository) loads as `name`, and its
 * dependencies.
 */
function follow(
  entries: Entries,
  name: string,
  from: string,
  found: Map<string, RequestedPackage>,
): void {
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

/** Finds a package like Node does: in the requesting folder, then in its parents. */
function placeOf(entries: Entries, name: string, from: string): string | undefined {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))
  ) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (Object.hasOwn(entries, path)) return path;
    if (folder === '') return undefined;
  }
}

function fits({ os, cpu, libc }: LockedEntry): boolean {
  const allows = (list: readonly string[] | undefined, here: string): boolean =>
    list === undefined ||
    (!list.includes(`!${here}`) &&
      (list.includes(here) || list.every((item) => item.startsWith('!'))));
  return allows(os, PLATFORM.os) && allows(cpu, PLATFORM.cpu) && allows(libc, PLATFORM.libc);
}

function unknown(entries: Entries, name: string, from: string): CcpError {
  const names = Object.keys(entries).flatMap(
    (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1] ?? [],
  );
  const meant = nearest(name, names);
  return new CcpError({
    code: 'npm-unknown',
    message: `the repository's package-lock.json has no package ${name}${from === '' ? '' : `, which ${from} needs`}`,
    hint:
      meant === undefined
        ? 'add it to package.json, or write NAME@VERSION in image.yaml'
        : `did you mean ${meant}?`,
  });
}
