import { CcpError, parseSha256, type Sha256 } from '#core';
import type { DebianPackage } from '../types.ts';
import type { AptRoot } from './apt-root.ts';
import type { PackageEntry, PackageLists } from './package-lists.ts';

const URI_LINE = /^'([^']+)' (\S+) (\d+) SHA256:([0-9a-f]{64})$/;
/** Above 1000, so that apt uses this version even if the lists have a newer one. */
const PIN_PRIORITY = 1001;

/**
 * Reads the hashes in the output of `apt-get --print-uris`. Raises `debian-unhashed` if a line has
 * no SHA-256.
 */
export function parsePrintedUris(text: string): Sha256[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith("'"))
    .map((line) => {
      const match = URI_LINE.exec(line);
      if (match === null)
        throw new CcpError({
          code: 'debian-unhashed',
          message: `apt printed a file without a SHA-256: ${line}`,
        });
      return parseSha256(match[4]!);
    });
}

/** Apt preferences that pin each package to its version. */
export function pinnedPreferences(
  packages: readonly Pick<DebianPackage, 'name' | 'version'>[],
): string {
  return packages
    .map(
      ({ name, version }) =>
        `Package: ${name}\nPin: version ${version}\nPin-Priority: ${PIN_PRIORITY}\n`,
    )
    .join('\n');
}

/** A dpkg status file that lists the stanzas as installed. */
export function installedStatus(stanzas: readonly string[]): string {
  return stanzas
    .map((stanza) => `${stanza.replace('\n', '\nStatus: install ok installed\n')}\n`)
    .join('\n');
}

export interface StageRequest {
  /** `keystone runtime`, for messages. */
  readonly title: string;
  /** Package names and apt patterns. */
  readonly packages: readonly string[];
  /** Whether to omit the dependencies. */
  readonly alone: boolean;
  /** Packages of the parent's layers; neither replaced nor removed. */
  readonly installed: readonly PackageEntry[];
  /** Packages whose versions apt takes, if it needs them: previously locked ones and siblings. */
  readonly keep: readonly Pick<DebianPackage, 'name' | 'version'>[];
}

/**
 * Resolves the packages that a stage adds to its parent with apt, sorted by name. Raises
 * `debian-unresolvable` with apt's errors, and `debian-conflict` if the stage would replace a
 * package of its parent.
 */
export async function resolveStage(
  root: AptRoot,
  lists: Pick<PackageLists, 'find'>,
  request: StageRequest,
): Promise<DebianPackage[]> {
  const below = new Set(request.installed.map(({ package: { name } }) => name));
  const chosen = (await chooseEntries(root, lists, request)).map((entry) => entry.package);
  const replaced = chosen.filter(({ name }) => below.has(name));
  if (replaced.length > 0) {
    throw new CcpError({
      code: 'debian-conflict',
      message: `${request.title} would replace packages of its parent: ${replaced.map(({ name, version }) => `${name} ${version}`).join(', ')}`,
      hint: 'run "ccp lock --update" for the parent first',
    });
  }
  return chosen.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The entries that apt would install for a stage. With `replace`, the packages of the parent may be
 * replaced by others. Raises `debian-unresolvable` with apt's errors.
 */
export async function chooseEntries(
  root: AptRoot,
  lists: Pick<PackageLists, 'find'>,
  request: StageRequest,
  replace = false,
): Promise<PackageEntry[]> {
  const below = new Set(request.installed.map(({ package: { name } }) => name));
  const state = {
    status: installedStatus(request.installed.map(({ stanza }) => stanza)),
    preferences: pinnedPreferences([
      ...(replace ? [] : request.installed.map((item) => item.package)),
      ...request.keep.filter(({ name }) => !below.has(name)),
    ]),
  };
  const verb = request.alone ? 'download' : 'install';
  const result = await root.aptGet(
    ['-q', '--print-uris', '--no-remove', verb, '--', ...request.packages],
    state,
  );
  if (result.exitCode !== 0) {
    throw new CcpError({
      code: 'debian-unresolvable',
      message: `apt cannot resolve the packages of ${request.title}:\n${aptErrors(result.stdout + result.stderr)}`,
      hint: 'choose packages that the suite has and that do not conflict, or run "ccp lock --update" for the image and its parents',
    });
  }
  return parsePrintedUris(result.stdout).map((hash) => {
    const entry = lists.find(hash);
    if (entry === undefined)
      throw new CcpError({
        code: 'debian-unhashed',
        message: `apt chose a file that is not in the package lists: ${hash}`,
      });
    return entry;
  });
}

/** Apt's error output, without progress and the general text before conflicts. */
function aptErrors(text: string): string {
  const conflict = text.indexOf('The following packages have unmet dependencies:');
  return text
    .slice(Math.max(conflict, 0))
    .replaceAll(/^.*\.\.\.(?: Done)?\n/gm, '')
    .trim();
}
