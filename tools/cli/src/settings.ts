import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CcpError, decodeText, reading, type Json } from '#core';
import { parseYaml, type JsonSchema } from '#definitions';
import { readUnchanged } from '#host';
import type { MirrorSettings } from '#inputs';
import type { Memo } from '#ports';

/** `.ccp.yaml` in the repository's root: what a run may choose without changing what an image is. All of it is optional. */
export interface Settings {
  /** Series that commands take where `--series` is absent. */
  readonly series?: string;
  /** How sources are taken; asked once of the network where absent. */
  readonly origin?: 'git' | 'archive';
  /** Engines to build on: `unix://` or `tcp://` endpoints. */
  readonly engines?: readonly string[];
  /** Images built at the same time. */
  readonly jobs?: number;
  /** Folder of the cache. */
  readonly cache?: string;
  readonly mirrors?: MirrorSettings;
}

const NAME = '.ccp.yaml';
const SCHEMA = new URL('../schemas/settings.schema.json', import.meta.url);

/** A line of YAML that says nothing. */
const EMPTY_LINE = /^(?:\s*(?:#.*)?|---\s*)$/;

/**
 * Reads the settings; a file that is absent or says nothing is empty settings. Raises the findings of `parseYaml` with file and line,
 * and what `readUnchanged` raises.
 */
export function readSettings(root: string, memo: Memo): Settings {
  const file = join(root, NAME);
  if (!existsSync(file)) return {};
  const hash = reading(NAME, () => memo.fileSha256(file));
  return memo.recall(`settings ${hash}`, () => {
    const text = decodeText(readUnchanged(file, hash, NAME), NAME);
    if (text.split('\n').every((line) => EMPTY_LINE.test(line))) return {};
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as JsonSchema;
    return parseYaml<Json>(text, NAME, schema).value;
  }) as unknown as Settings;
}

/** Type of the kernel's process file system in statfs(2). Node's recursive mkdir, told to make a folder below it, never ends. */
const PROC = 0x9fa0;

/**
 * Absolute path of the cache's folder: `CCP_CACHE`, the setting, else `ccp` in the user's cache folder. Makes nothing. Raises `usage`
 * for a path that is relative, and for one where no folder can be.
 */
export function cacheFolder(settings: Settings, env: NodeJS.ProcessEnv = process.env): string {
  const folder = env['CCP_CACHE'] || (settings.cache ?? join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'ccp'));
  const refuse = (why: string, hint: string): CcpError => new CcpError({ code: 'usage', message: `the cache's folder ${why}: ${folder}`, hint });
  if (!isAbsolute(folder)) throw refuse('is not an absolute path', 'set CCP_CACHE to one that starts with /');
  let there = folder;
  while (!existsSync(there)) there = dirname(there);
  const hint = 'set CCP_CACHE, or "cache" in .ccp.yaml, to another folder';
  if (!statSync(there).isDirectory()) throw refuse(`cannot be made, since ${there} is a file`, hint);
  if (statfsSync(there).type === PROC) throw refuse(`cannot be made in the kernel's ${there}`, hint);
  return folder;
}
