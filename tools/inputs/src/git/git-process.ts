import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { SimpleGit } from 'simple-git';
import { CcpError } from '#core';
import { makeFolder, onPath } from '#host';
import { noteUse } from '../cache/note-use.ts';
import { MIRROR_MARK } from './mirror-mark.ts';

/**
 * Configuration of every mirror, in place of the user's and the system's. Attributes of the repository itself must not change the
 * bytes of an archive.
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
const ATTRIBUTES = '* -export-subst -export-ignore -text -ident -filter -working-tree-encoding !eol\n';

/** What of the environment reaches git: where programs are, how to reach the network, whose SSH keys. */
const PASSED = ['PATH', 'SSH_AUTH_SOCK', 'http_proxy', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY', 'all_proxy', 'ALL_PROXY'];
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
  /** The only protocol git may speak, also after a redirection. */
  readonly protocol: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  /** Ends a git that says nothing for this long. */
  readonly silenceMs: number;
}

/**
 * git in a mirror, free of what surrounds it: no configuration of user or system (the home folder is the mirror's own, so
 * simple-git's guard against foreign configuration stays on), no prompt, no hook, one protocol. GIT_SSH_COMMAND names another ssh,
 * with its keys and known hosts; else ssh's own files of the user hold.
 */
export async function gitIn({ mirror, protocol, env, signal, silenceMs }: GitProcessOptions): Promise<SimpleGit> {
  const { simpleGit } = await import('simple-git');
  const git = simpleGit({
    baseDir: mirror,
    allowEnvironment: SET_BY_US,
    unsafe: { allowUnsafeSshCommand: true },
    timeout: { block: silenceMs },
    trimmed: true,
    ...(signal === undefined ? {} : { abort: signal }),
  });
  const passed = Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const certificates = env['SSL_CERT_FILE'] ?? env['REQUESTS_CA_BUNDLE'] ?? env['NODE_EXTRA_CA_CERTS'];
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

/** Raises `tool-missing` where no folder of PATH has git: a failed start would look like a host that does not answer. */
export function requireGit(env: NodeJS.ProcessEnv): void {
  if (onPath('git', env['PATH'] ?? SYSTEM_PATH)) return;
  throw new CcpError({
    code: 'tool-missing',
    message: 'git is not installed',
    hint: 'install the Debian package git, or take published archives ("origin: archive" in .ccp.yaml)',
  });
}

/** Where git that fetches over plain HTTP puts packs; it does not make the folder. */
const PACKS = 'objects/pack';

/** Makes an empty bare repository where there is none, and notes the use of one that is there; without git's templates, so that nothing of the host is in it. */
export async function ensureMirror(path: string): Promise<void> {
  if (await noteUse(join(path, MIRROR_MARK))) return makeFolder(join(path, PACKS));
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  for (const folder of [PACKS, 'refs/heads', 'info', 'home']) await mkdir(join(temporary, folder), { recursive: true });
  await writeFile(join(temporary, 'config'), CONFIG);
  await writeFile(join(temporary, 'info/attributes'), ATTRIBUTES);
  await writeFile(join(temporary, 'HEAD'), 'ref: refs/heads/none\n');
  try {
    await rename(temporary, path);
  } catch (cause) {
    await rm(temporary, { recursive: true, force: true });
    if (!existsSync(join(path, 'HEAD'))) throw cause;
  }
}
