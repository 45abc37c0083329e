import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CcpError } from '#core';

/** The host as discovery sees it. */
export interface NpmHost {
  readonly env: NodeJS.ProcessEnv;
  /** What `npm config get registry` prints; nothing where there is no npm. */
  readonly npmDefault: () => string | undefined;
}

/** The registries that npm would ask here: of the environment, else of its own files or default. Raises `mirror-unknown`. */
export function discoverNpmRegistries(host: Partial<NpmHost> = {}): string[] {
  const { env = process.env, npmDefault = askNpm } = host;
  const named = env['npm_config_registry'] || env['NPM_CONFIG_REGISTRY'] || npmDefault() || '';
  if (/^https?:\/\//.test(named)) return [named];
  throw new CcpError({
    code: 'mirror-unknown',
    message: 'no registry of npm is known: NPM_CONFIG_REGISTRY is not set, and there is no npm to ask for its own',
    hint: 'set "mirrors: { npm: [URL] }" in .ccp.yaml, or NPM_CONFIG_REGISTRY',
  });
}

function askNpm(): string | undefined {
  const beside = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  const [program, words] = existsSync(beside) ? [process.execPath, [beside]] : ['npm', []];
  try {
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    return execFileSync(program, [...words, 'config', 'get', 'registry'], {
      encoding: 'utf8',
      timeout: 20_000,
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: '/',
    }).trim();
  } catch {
    return undefined;
  }
}
