import { CcpError, parseSha256, type Sha256 } from '#core';
import type { DebianPackage } from '../types.ts';
import type { AptRoot } from './apt-root.ts';
import type { PackageLists } from './package-lists.ts';

const URI_LINE = /^'([^']+)' (\S+) (\d+) SHA256:([0-9a-f]{64})$/;
/** Above 1000, so that the version is taken even where the lists have a newer one. */
const PIN_PRIORITY = 1001;

/** The hashes in what `apt-get --print-uris` prints. Raises `debian-unhashed` where a line has no SHA-256. */
export function parsePrintedUris(text: string): Sha256[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith("'"))
    .map((line) => {
      const match = URI_LINE.exec(line);
      if (match === null) throw new CcpError({ code: 'debian-unhashed', message: `apt names a file without a SHA-256: ${line}` });
      return parseSha256(match[4]!);
    });
}

/** Preferences that hold each package at its version. */
export function pinnedPreferences(packages: readonly Pick<DebianPackage, 'name' | 'version'>[]): string {
  return packages.map(({ name, version }) => `Package: ${name}\nPin: version ${version}\nPin-Priority: ${PIN_PRIORITY}\n`).join('\n');
}

/** A dpkg status in which the stanzas are installed. */
export function installedStatus(stanzas: readonly string[]): string {
  return stanzas.map((stanza) => `${stanza.replace('\n', '\nStatus: install ok installed\n')}\n`).join('\n');
}

export interface StageRequest {
  /** `keystone runtime`, for messages. */
  readonly title: string;
  /** Package names and apt patterns. */
  readonly packages: readonly string[];
  /** Whether what they depend on is left out. */
  readonly alone: boolean;
  /** What the parent's layers hold; neither moved nor removed. */
  readonly installed: readonly { readonly package: DebianPackage; readonly stanza: string }[];
  /** What the stage was locked to; kept where the lists still have it. */
  readonly keep: readonly DebianPackage[];
}

/**
 * Lets apt choose what a stage adds to the packages below it, by name. Raises `debian-unresolvable` with apt's words, and
 * `debian-conflict` where the stage would move a package of its parent.
 */
export async function resolveStage(root: AptRoot, lists: PackageLists, request: StageRequest): Promise<DebianPackage[]> {
  const below = new Set(request.installed.map(({ package: { name } }) => name));
  const state = {
    status: installedStatus(request.installed.map(({ stanza }) => stanza)),
    preferences: pinnedPreferences([...request.installed.map((item) => item.package), ...request.keep.filter(({ name }) => !below.has(name))]),
  };
  const verb = request.alone ? 'download' : 'install';
  const result = await root.aptGet(['-q', '--print-uris', '--no-remove', verb, '--', ...request.packages], state);
  if (result.exitCode !== 0) {
    throw new CcpError({
      code: 'debian-unresolvable',
      message: `apt finds no set of packages for ${request.title}:\n${aptWords(result.stdout + result.stderr)}`,
      hint: 'ask for packages that the suite has and that fit together, or run ccp lock --update for the image and its parents',
    });
  }
  const chosen = parsePrintedUris(result.stdout).map((hash) => {
    const entry = lists.find(hash);
    if (entry === undefined) throw new CcpError({ code: 'debian-unhashed', message: `apt chose a file that no package list has: ${hash}` });
    return entry.package;
  });
  const moved = chosen.filter(({ name }) => below.has(name));
  if (moved.length > 0) {
    throw new CcpError({
      code: 'debian-conflict',
      message: `${request.title} would replace packages of its parent: ${moved.map(({ name, version }) => `${name} ${version}`).join(', ')}`,
      hint: 'run ccp lock --update for the parent first',
    });
  }
  return chosen.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** What apt says, without its progress and what it says of any conflict. */
function aptWords(text: string): string {
  const conflict = text.indexOf('The following packages have unmet dependencies:');
  return text
    .slice(Math.max(conflict, 0))
    .replaceAll(/^.*\.\.\.(?: Done)?\n/gm, '')
    .trim();
}
