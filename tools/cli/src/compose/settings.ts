import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { SourceOrigin } from '#context';
import { CcpError, decodeText, reading, throwFindings, type Json } from '#core';
import { parseYaml, type JsonSchema } from '#definitions';
import { readBounded, readUnchanged, requirePrivate, otherWriters } from '#host';
import type { MirrorSettings } from '#fetch';
import type { Memo } from '#ports';

/**
 * Settings from `.ccp.yaml` in the workspace and from the user's `ccp/settings.yaml`. All settings
 * are optional. The workspace takes precedence, except for the cache, which only the user can set.
 */
export interface Settings {
  /** Default series of commands without `--series`. */
  readonly series?: string;
  /** Where sources come from; see `originOf`. */
  readonly origin?: 'git' | 'archive';
  /** Engines to build on: `unix://` or `tcp://` endpoints. */
  readonly engines?: readonly string[];
  /** Number of images to build in parallel. */
  readonly jobs?: number;
  /** Folder of the cache. */
  readonly cache?: string;
  readonly mirrors?: MirrorSettings;
  /** Absolute paths of the public keys of trusted publishers. */
  readonly trust?: readonly string[];
}

const NAME = '.ccp.yaml';
const SCHEMA = new URL('../../schemas/settings.schema.json', import.meta.url);
const MAX_BYTES = 256 << 10;

/**
 * Settings that enter a fingerprint or choose images: every user of a workspace must have the same.
 */
const OF_WORKSPACE = ['series', 'origin'];

/**
 * Where sources come from. Part of every fingerprint, so the default depends on nothing: one commit
 * has one plan on every machine.
 */
export function originOf({ origin }: Settings): SourceOrigin {
  return origin ?? 'archive';
}

/** A URL with a login. */
const LOGIN = /:\/\/[^/"]*@/;
/** A YAML line without content. */
const EMPTY_LINE = /^(?:\s*(?:#.*)?|---\s*)$/;

/**
 * Reads the settings of the workspace at `root` and of the user. Throws the findings of `parseYaml`
 * and `mirror-invalid` with file and line, the errors of `readUnchanged`, and `usage` for a
 * workspace that names another cache than the user's.
 */
export function readSettings(
  root: string,
  memo: Memo,
  env: NodeJS.ProcessEnv = process.env,
): Settings {
  const user = readUserSettings(env);
  const { cache, cacheLine = 1, ...workspace } = readWorkspaceSettings(root, memo);
  if (cache !== undefined && resolve(cache) !== resolve(cacheFolder(user, env)))
    throw cacheRefused(cache, cacheLine, env);
  const own = withPaths(user, dirname(userSettingsFile(env) ?? root));
  const shared = withPaths(workspace, root);
  const mirrors = { ...own.mirrors, ...shared.mirrors };
  return {
    ...own,
    ...shared,
    ...(Object.keys(mirrors).length === 0 ? {} : { mirrors }),
  };
}

/**
 * The settings with absolute paths of keys: a key is looked up in the folder of its settings file.
 */
function withPaths<T extends Settings>(settings: T, folder: string): T {
  const { trust, mirrors } = settings;
  const keyring = mirrors?.debianKeyring;
  return {
    ...settings,
    ...(trust === undefined ? {} : { trust: trust.map((file) => resolve(folder, file)) }),
    ...(keyring === undefined
      ? {}
      : { mirrors: { ...mirrors, debianKeyring: resolve(folder, keyring) } }),
  };
}

/** The line of `cache` is found in the bytes that were parsed: the file may change at any time. */
interface WorkspaceSettings extends Settings {
  readonly cacheLine?: number;
}

function readWorkspaceSettings(root: string, memo: Memo): WorkspaceSettings {
  const file = join(root, NAME);
  if (!existsSync(file)) return {};
  // Before the memo, which reads a whole file: refuses pipes and endless files.
  reading(NAME, () => readBounded(file, MAX_BYTES, NAME));
  const hash = reading(NAME, () => memo.fileSha256(file));
  const parse = (): Json => {
    const bytes = readUnchanged(file, hash, NAME);
    const settings = parseSettings(bytes, NAME, readSchema()) as Record<string, Json>;
    return settings['cache'] === undefined
      ? settings
      : { ...settings, cacheLine: lineOfCache(bytes) };
  };
  // The memo must not contain the password of a mirror.
  const known = memo.recall(`workspace-settings 2 ${hash}`, () => {
    const settings = parse();
    return LOGIN.test(JSON.stringify(settings)) ? null : settings;
  });
  return (known ?? parse()) as unknown as WorkspaceSettings;
}

/**
 * The user's settings, which apply in every workspace; not read through the memo, which is a file
 * of the workspace. Throws the errors of `readSettings`.
 */
export function readUserSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const file = userSettingsFile(env);
  if (file === undefined || !existsSync(file)) return {};
  const { properties, ...schema } = readSchema();
  const allowed = Object.entries(properties ?? {}).filter(([key]) => !OF_WORKSPACE.includes(key));
  return parseSettings(
    reading(file, () => readBounded(file, MAX_BYTES)),
    file,
    {
      ...schema,
      properties: Object.fromEntries(allowed),
    },
  ) as unknown as Settings;
}

function readSchema(): JsonSchema {
  return JSON.parse(readFileSync(SCHEMA, 'utf8')) as JsonSchema;
}

function parseSettings(bytes: Uint8Array, name: string, schema: JsonSchema): Json {
  const text = decodeText(bytes, name);
  if (text.split('\n').every((line) => EMPTY_LINE.test(line))) return {};
  const { value, position } = parseYaml<Json>(text, name, schema);
  const { mirrors = {} } = value as Settings;
  throwFindings(
    Object.entries(mirrors).flatMap(
      ([kind, urls]: [string, MirrorSettings[keyof MirrorSettings]]) =>
        Object.entries(urls ?? {})
          .filter(([, url]: [string, string]) => /^https?:/.test(url) && !URL.canParse(url))
          .map(([key, url]: [string, string]) => {
            const at = position(['mirrors', kind, kind === 'git' ? key : Number(key)]);
            return new CcpError({
              code: 'mirror-invalid',
              message: `the mirror is not a valid URL: ${url}`,
              hint: 'write it as http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH',
              at,
            });
          }),
    ),
  );
  return value;
}

/** Path of the user's settings; undefined without a home folder. */
function userSettingsFile(env: NodeJS.ProcessEnv): string | undefined {
  const named = env['XDG_CONFIG_HOME'] ?? '';
  if (isAbsolute(named)) return join(named, 'ccp/settings.yaml');
  const home = homedir();
  return isAbsolute(home) ? join(home, '.config/ccp/settings.yaml') : undefined;
}

function lineOfCache(bytes: Uint8Array): number {
  const text = decodeText(bytes, NAME);
  return text.slice(0, text.search(/^["']?cache\b/m)).split('\n').length;
}

function cacheRefused(cache: string, line: number, env: NodeJS.ProcessEnv): CcpError {
  return new CcpError({
    code: 'usage',
    message: `a workspace cannot set the cache folder (${cache}): ccp runs programs from it`,
    at: { file: NAME, line },
    hint: `remove "cache" here; set CCP_CACHE, or "cache" in ${userSettingsFile(env) ?? 'your settings'}`,
  });
}

/**
 * Type of the kernel's process file system in statfs(2). Node's recursive mkdir never returns for a
 * folder below it.
 */
const PROC = 0x9fa0;

/**
 * Absolute path of the cache folder: `CCP_CACHE`, the user setting, else `ccp` in the cache folder
 * of the user. Creates nothing. Throws `usage` for a relative path, and for a path that cannot be a
 * folder.
 */
export function cacheFolder(settings: Settings, env: NodeJS.ProcessEnv = process.env): string {
  const folder = env['CCP_CACHE'] || (settings.cache ?? ownCacheFolder(env));
  const refuse = (why: string, hint: string): CcpError =>
    new CcpError({ code: 'usage', message: `the cache folder ${why}: ${folder}`, hint });
  if (!isAbsolute(folder))
    throw refuse('is not an absolute path', 'set CCP_CACHE to an absolute path');
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  const hint = 'set CCP_CACHE, or "cache" in your user settings, to another folder';
  if (!statSync(there).isDirectory())
    throw refuse(`cannot be created, since ${there} is a file`, hint);
  if (statfsSync(there).type === PROC)
    throw refuse(`cannot be created in the kernel's ${there}`, hint);
  return folder;
}

function ownCacheFolder(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'ccp');
}

/**
 * Absolute path of the folder for programs that ccp runs and for data of the private engine: the
 * cache if only this user and root can write to it, else `ccp` in the cache folder of the user.
 * Throws `machine-rights` if others can write to that folder too.
 */
export function programFolder(settings: Settings, env: NodeJS.ProcessEnv = process.env): string {
  const folder = cacheFolder(settings, env);
  if (otherWriters(folder) === undefined) return folder;
  const own = ownCacheFolder(env);
  requirePrivate(own, `the folder of programs ${own}`);
  return own;
}
