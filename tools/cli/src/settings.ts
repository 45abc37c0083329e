import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '#core';
import { parseYaml, type JsonSchema } from '#definitions';
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

const SCHEMA = new URL('../schemas/settings.schema.json', import.meta.url);

/** Reads the settings; an absent file is empty settings. Raises the findings of `parseYaml` with file and line. */
export function readSettings(root: string, memo: Memo): Settings {
  const file = join(root, '.ccp.yaml');
  if (!existsSync(file)) return {};
  return memo.recall(`settings ${memo.fileSha256(file)}`, () => {
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as JsonSchema;
    return parseYaml<Json>(readFileSync(file, 'utf8'), '.ccp.yaml', schema).value;
  }) as unknown as Settings;
}

/** The cache's folder: `CCP_CACHE`, the setting, else `ccp` in the user's cache folder. */
export function cacheFolder(settings: Settings, env: NodeJS.ProcessEnv = process.env): string {
  return env['CCP_CACHE'] ?? settings.cache ?? join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ccp');
}
