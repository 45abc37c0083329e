import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CcpError, codeOf, sha256 } from '#core';
import { readBounded, type ToolResult, runTool } from '#host';
import { toolEnvironment } from '../tool-environment.ts';
import type { PackageEntry } from './package-lists.ts';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const ARCHITECTURE = 'amd64';
const FOLDERS = [
  'etc/apt/apt.conf.d',
  'etc/apt/preferences.d',
  'etc/apt/sources.list.d',
  'etc/apt/trusted.gpg.d',
  'var/lib/apt',
  'var/lib/dpkg',
  'var/log/apt',
  'var/cache/apt/archives/partial',
];

export interface AptRootOptions {
  readonly suite: string;
  /** Roots of the archives, in order, without a trailing slash. */
  readonly debian: readonly string[];
  readonly debianSecurity: readonly string[];
  /** Absolute path of the keyring that signs these archives; default: Debian's. */
  readonly keyring?: string | undefined;
  readonly cache: string;
  /** Temporary folder; the caller removes it. */
  readonly scratch: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A private root in which apt resolves packages of a suite; the host's apt and dpkg are not
 * changed.
 */
export interface AptRoot {
  /** Folder of the downloaded lists. */
  readonly lists: string;
  /** Lets apt choose these packages too, in place of those of the previous call. */
  offer(entries: readonly PackageEntry[]): Promise<void>;
  /** Runs apt-get with this dpkg status and these apt preferences. */
  aptGet(
    args: readonly string[],
    state: { readonly status: string; readonly preferences: string },
  ): Promise<ToolResult>;
}

/** Reads the proxy and TLS settings of the host's apt. */
async function networkSettings(signal: AbortSignal | undefined): Promise<string> {
  const dump = await runTool('apt-config', ['dump', 'Acquire'], {
    env: toolEnvironment({}),
    timeoutMs: 10_000,
    signal,
    missingHint:
      'Debian packages are resolved with apt: run "ccp lock" on Debian or in a Debian container',
  });
  return dump.stdout
    .split('\n')
    .filter(
      (line) =>
        /^Acquire::https?::.*"[^"]+";$/.test(line) &&
        /::(?:Proxy|CaInfo|SslCert|SslKey)\b/i.test(line),
    )
    .join('\n');
}

function aptConf(root: string, network: string): string {
  return `Dir "${root}";
Dir::State::status "${root}/var/lib/dpkg/status";
APT::Architecture "${ARCHITECTURE}";
APT::Architectures { "${ARCHITECTURE}"; };
APT::Install-Recommends "false";
APT::Install-Suggests "false";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::GzipIndexes "false";
Acquire::ForceHash "SHA256";
Acquire::Retries "3";
Debug::NoLocking "true";
${network}
`;
}

interface AptMirrors {
  readonly suite: string;
  readonly debian: string;
  readonly debianSecurity: string;
  readonly keyring: string;
}

/** Pairs of mirrors to try, in order. */
export function mirrorPairs({
  debian,
  debianSecurity,
}: Pick<AptRootOptions, 'debian' | 'debianSecurity'>): Pick<
  AptMirrors,
  'debian' | 'debianSecurity'
>[] {
  return debian.flatMap((one) =>
    debianSecurity.map((other) => ({ debian: one, debianSecurity: other })),
  );
}

function sourcesList({ suite, debian, debianSecurity, keyring }: AptMirrors): string {
  const line = (url: string, dist: string): string =>
    `deb [arch=${ARCHITECTURE} signed-by=${keyring}] ${url} ${dist} main\n`;
  return (
    line(debian, suite) +
    line(debian, `${suite}-updates`) +
    line(debianSecurity, `${suite}-security`)
  );
}

function checkUrl(url: string): void {
  if (/^(?:https?|file):\/\/[^\s"[\]]+$/.test(url)) return;
  throw new CcpError({
    code: 'mirror-invalid',
    message: `${JSON.stringify(url)} is not the URL of a Debian mirror`,
  });
}

function checkKeyring(own: string | undefined): string {
  const keyring = own ?? KEYRING;
  if (!existsSync(keyring))
    throw new CcpError({
      code: 'debian-keyring-missing',
      message: `${keyring} does not exist`,
      hint:
        own === undefined
          ? 'install the Debian package debian-archive-keyring'
          : 'correct "mirrors.debianKeyring" in the settings',
    });
  // Refuses pipes and endless files, which apt would read.
  if (own !== undefined) readBounded(own);
  if (/^\/[^\s"[\],]+$/.test(keyring)) return keyring;
  throw new CcpError({
    code: 'debian-keyring-missing',
    message: `${JSON.stringify(keyring)} is not a path that apt accepts`,
    hint: 'move the keyring of "mirrors.debianKeyring" to a path without blanks, commas, quotes and brackets',
  });
}

/**
 * Creates the root and updates its package lists from the first mirrors that serve them completely,
 * starting with the lists in the cache. Raises `tool-missing` if the host has no apt,
 * `debian-keyring-missing`, and `debian-mirror-failed` with apt's error for the last mirrors.
 */
export async function openAptRoot(options: AptRootOptions): Promise<AptRoot> {
  [...options.debian, ...options.debianSecurity].forEach(checkUrl);
  const keyring = checkKeyring(options.keyring);
  const network = await networkSettings(options.signal);
  let failure: unknown = new CcpError({
    code: 'mirror-unknown',
    message: 'no Debian mirror is configured',
    hint: 'set "mirrors" in .ccp.yaml',
  });
  for (const pair of mirrorPairs(options)) {
    try {
      return await openRootAt({ suite: options.suite, keyring, ...pair }, network, options);
    } catch (thrown) {
      if (codeOf(thrown) !== 'debian-mirror-failed') throw thrown;
      failure = thrown;
    }
  }
  throw failure;
}

async function openRootAt(
  mirrors: AptMirrors,
  network: string,
  options: AptRootOptions,
): Promise<AptRoot> {
  const folder = join(options.cache, 'apt');
  const kept = join(folder, `${options.suite}-${sha256(sourcesList(mirrors)).slice(0, 16)}`);
  mkdirSync(folder, { recursive: true });
  const root = mkdtempSync(join(options.scratch, 'apt-'));
  for (const path of FOLDERS) mkdirSync(join(root, path), { recursive: true });
  const lists = join(root, 'var/lib/apt/lists');
  copyCachedLists(kept, lists);
  mkdirSync(join(lists, 'partial'), { recursive: true });
  writeFileSync(join(root, 'apt.conf'), aptConf(root, network));
  writeFileSync(join(root, 'etc/apt/sources.list'), sourcesList(mirrors));
  const aptGet: AptRoot['aptGet'] = (args, { status, preferences }) => {
    writeFileSync(join(root, 'var/lib/dpkg/status'), status);
    writeFileSync(join(root, 'etc/apt/preferences'), preferences);
    const env = toolEnvironment({ APT_CONFIG: join(root, 'apt.conf') });
    return runTool('apt-get', args, { env, timeoutMs: 600_000, signal: options.signal });
  };
  const update = await aptGet(['-qq', 'update', '--error-on=any'], { status: '', preferences: '' });
  if (
    update.exitCode !== 0 &&
    new RegExp(` ${options.suite} Release' does not have a Release file`).test(update.stderr)
  ) {
    throw new CcpError({
      code: 'debian-mirror-failed',
      message: `the mirror has no suite ${options.suite}:\n${update.stderr.trim()}`,
      hint: 'choose a Debian suite that has updates and security, such as trixie, or name a mirror that has this suite in .ccp.yaml',
    });
  }
  if (update.exitCode !== 0) {
    throw new CcpError({
      code: 'debian-mirror-failed',
      message: `the package lists of ${options.suite} could not be fetched:\n${update.stderr.trim()}`,
      hint: 'check the mirrors in /etc/apt or in .ccp.yaml, and the proxy',
    });
  }
  cacheLists(lists, kept);
  return { lists, aptGet, offer: (entries) => offerEntries(root, aptGet, entries) };
}

/** Adds a local archive of these entries to the root; their files are verified when fetched. */
async function offerEntries(
  root: string,
  aptGet: AptRoot['aptGet'],
  entries: readonly PackageEntry[],
): Promise<void> {
  const [archive, list] = [
    join(root, 'dropped'),
    join(root, 'etc/apt/sources.list.d/dropped.list'),
  ];
  mkdirSync(archive, { recursive: true });
  writeFileSync(join(archive, 'Packages'), entries.map(({ stanza }) => `${stanza}\n\n`).join(''));
  writeFileSync(list, `deb [trusted=yes arch=${ARCHITECTURE}] file:${encodeURI(archive)} ./\n`);
  const only = ['-o', `Dir::Etc::sourcelist=${list}`, '-o', 'Dir::Etc::sourceparts=-'];
  const update = await aptGet(
    ['-qq', 'update', '--error-on=any', '-o', 'APT::Get::List-Cleanup=false', ...only],
    { status: '', preferences: '' },
  );
  if (update.exitCode === 0) return;
  throw new CcpError({
    code: 'debian-unresolvable',
    message: `apt cannot read the stanzas of locked packages:\n${update.stderr.trim()}`,
    hint: 'remove the folder locks/apt of the cache, and run the command again',
  });
}

/** Copies the cached lists; if another process is replacing them, all lists are fetched. */
function copyCachedLists(kept: string, lists: string): void {
  try {
    if (existsSync(kept)) cpSync(kept, lists, { recursive: true, preserveTimestamps: true });
  } catch {
    rmSync(lists, { recursive: true, force: true });
  }
}

/**
 * Replaces the cached lists; if another process replaces them at the same time, its lists are kept.
 */
function cacheLists(lists: string, kept: string): void {
  const fresh = `${kept}.${process.pid}.new`;
  rmSync(fresh, { recursive: true, force: true });
  cpSync(lists, fresh, { recursive: true, preserveTimestamps: true });
  try {
    rmSync(kept, { recursive: true, force: true });
    renameSync(fresh, kept);
  } catch {
    rmSync(fresh, { recursive: true, force: true });
  }
}
