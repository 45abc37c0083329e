import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CcpError } from '#core';
import { requireUrl } from './require-url.ts';

/** The host settings that discovery reads. */
export interface NpmHost {
  readonly env: NodeJS.ProcessEnv;
  /** Output of `npm config get registry`; `undefined` if npm is not installed. */
  readonly npmDefault: () => string | undefined;
}

/**
 * Finds the registries that npm would use on this host: from the environment, else from npm's files
 * or default. Raises `mirror-unknown` and `mirror-invalid`.
 */
export function discoverNpmRegistries(host: Partial<NpmHost> = {}): string[] {
  const { env = process.env, npmDefault = askNpm } = host;
  const variable = ['npm_config_registry', 'NPM_CONFIG_REGISTRY'].find((name) => env[name]);
  const named = variable === undefined ? (npmDefault() ?? '') : env[variable]!;
  if (/^https?:\/\//.test(named))
    return [requireUrl(named, variable ?? 'the registry of `npm config`')];
  throw new CcpError({
    code: 'mirror-unknown',
    message:
      'no npm registry is configured: NPM_CONFIG_REGISTRY is not set, and the npm command was not found',
    hint: 'set "mirrors: { npm: [URL] }" in .ccp.yaml, or NPM_CONFIG_REGISTRY',
  });
}

function askNpm(): string | undefined {
  const bundled = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  const [program, words] = existsSync(bundled) ? [process.execPath, [bundled]] : ['npm', []];
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
