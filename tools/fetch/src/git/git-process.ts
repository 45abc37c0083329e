import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { SimpleGit, SimpleGitProgressEvent } from 'simple-git';
import { CcpError, omitUndefined } from '#core';
import { makeFolder, isInPath, readBounded, replaceFile } from '#host';
import type { SourceProgress } from '#ports';
import { MIRROR_MARK } from '../cache/mirror-mark.ts';
import { recordCacheUse } from '../cache/record-use.ts';

/**
 * Configuration of every mirror, instead of the user's and the system's.
 */
const CONFIG = `[core]
	repositoryformatversion = 0
	bare = true
	hooksPath = /dev/null
[credential]
	helper =
[gc]
	auto = 0
[http]
	lowSpeedLimit = 1000
	lowSpeedTime = 60
[tar]
	umask = 0022
`;
/** Overrides the repository's own attributes, which must not change the bytes of an archive. */
const ATTRIBUTES =
  '* -export-subst -export-ignore -text -ident -filter -working-tree-encoding !eol\n';

/** Environment variables passed to git. */
const PASSED = [
  'PATH',
  'SSH_AUTH_SOCK',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'no_proxy',
  'NO_PROXY',
  'all_proxy',
  'ALL_PROXY',
];
const SET_BY_US = [
  'GIT_CONFIG_NOSYSTEM',
  'GIT_ATTR_NOSYSTEM',
  'GIT_TERMINAL_PROMPT',
  'GIT_ALLOW_PROTOCOL',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_SSL_CAINFO',
  'GIT_SSH_COMMAND',
];

export interface GitProcessOptions {
  /** The mirror's folder. */
  readonly mirror: string;
  /** The only protocol git is allowed to use, also after a redirection. */
  readonly protocol: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** git is stopped if it prints nothing for this long. */
  readonly silenceMs: number;
  /** Receives the progress of commands that have the option `--progress`. */
  readonly onProgress?: ((progress: SourceProgress) => void) | undefined;
}

/**
 * Opens git in a mirror, isolated from the host: no user or system configuration (the home folder
 * is in the mirror, so simple-git's guard against foreign configuration stays on), no prompt, no
 * hook, one protocol. GIT_SSH_COMMAND can set another ssh with its keys and known hosts; otherwise
 * the user's ssh files apply.
 */
export async function openGit({
  mirror,
  protocol,
  env,
  signal,
  silenceMs,
  onProgress,
}: GitProcessOptions): Promise<SimpleGit> {
  const { simpleGit } = await import('simple-git');
  const git = simpleGit({
    baseDir: mirror,
    allowEnvironment: SET_BY_US,
    unsafe: { allowUnsafeSshCommand: true },
    timeout: { block: silenceMs },
    trimmed: true,
    ...omitUndefined({
      abort: signal,
      progress:
        onProgress === undefined
          ? undefined
          : ({ stage, progress }: SimpleGitProgressEvent) =>
              onProgress({ stage, percent: progress }),
    }),
  });
  const passed = Object.fromEntries(
    PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const certificates =
    env['SSL_CERT_FILE'] ?? env['REQUESTS_CA_BUNDLE'] ?? env['NODE_EXTRA_CA_CERTS'];
  return git.env({
    ...passed,
    ...(certificates === undefined || certificates === '' ? {} : { GIT_SSL_CAINFO: certificates }),
    HOME: join(mirror, 'home'),
    XDG_CONFIG_HOME: join(mirror, 'home'),
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_SSH_COMMAND: `${env['GIT_SSH_COMMAND'] ?? 'ssh'} -o BatchMode=yes`,
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_ALLOW_PROTOCOL: protocol,
  });
}

const SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Raises `tool-missing` if git is not in PATH; otherwise the failed start would look like an
 * unreachable host.
 */
export function requireGit(env: NodeJS.ProcessEnv): void {
  if (isInPath('git', env['PATH'] ?? SYSTEM_PATH)) return;
  throw new CcpError({
    code: 'tool-missing',
    message: 'git is not installed',
    hint: 'install the Debian package git, or use published archives ("origin: archive" in .ccp.yaml)',
  });
}

/** Folder for packs fetched over dumb HTTP; git does not create it. */
const PACKS = 'objects/pack';

/** Configuration files of every mirror. */
const FIXED = { config: CONFIG, 'info/attributes': ATTRIBUTES } as const;

/**
 * Creates an empty bare repository without git's templates, which could differ by host. If the
 * mirror exists, records its use and restores its configuration, since git runs programs that the
 * configuration names.
 */
export async function ensureMirror(path: string): Promise<void> {
  if (await recordCacheUse(join(path, MIRROR_MARK))) {
    restoreConfiguration(path);
    return makeFolder(join(path, PACKS));
  }
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  for (const folder of [PACKS, 'refs/heads', 'info', 'home'])
    await mkdir(join(temporary, folder), { recursive: true });
  for (const [name, text] of Object.entries(FIXED)) await writeFile(join(temporary, name), text);
  await writeFile(join(temporary, 'HEAD'), 'ref: refs/heads/none\n');
  try {
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    if (!existsSync(join(path, 'HEAD'))) throw cause;
  }
}

function restoreConfiguration(path: string): void {
  for (const [name, text] of Object.entries(FIXED)) {
    const file = join(path, name);
    if (isText(file, text)) continue;
    rmSync(file, { recursive: true, force: true });
    makeFolder(dirname(file));
    replaceFile(file, text);
  }
  // The home folder must stay empty: git would read a configuration file there.
  const home = join(path, 'home');
  makeFolder(home);
  for (const name of readdirSync(home)) rmSync(join(home, name), { recursive: true, force: true });
}

function isText(file: string, text: string): boolean {
  try {
    return readBounded(file, 1 << 16).toString() === text;
  } catch {
    return false;
  }
}
