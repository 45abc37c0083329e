import { CcpError } from '#core';
import { requireUrl } from './require-url.ts';

/** The host settings that discovery reads. */
export interface GoHost {
  readonly env: NodeJS.ProcessEnv;
  /** Output of `go env GOPROXY`; `undefined` if go is not installed. */
  readonly goDefault: () => string | undefined;
}

/**
 * Finds the module proxies that `go` would use on this host, in its order: GOPROXY of the
 * environment, else go's configuration or default. `direct` and `off` are skipped. Raises
 * `mirror-unknown` if no proxy is found, and `mirror-invalid`.
 */
export function discoverGoProxies(host: Partial<GoHost> = {}): string[] {
  const { env = process.env, goDefault = askGo } = host;
  const named = env['GOPROXY'] || goDefault() || '';
  const found = named
    .split(/[,|]/)
    .map((url) => url.trim().replace(/\/+$/, ''))
    .filter((url) => /^https?:\/\//.test(url));
  if (found.length > 0) return found.map((url) => requireUrl(url, 'GOPROXY'));
  throw new CcpError({
    code: 'mirror-unknown',
    message:
      named === ''
        ? 'no Go module proxy is configured: GOPROXY is not set, and the go command was not found'
        : `GOPROXY is ${JSON.stringify(named)}, which does not contain an HTTP proxy`,
    hint: 'set "mirrors: { go: [URL] }" in .ccp.yaml, or GOPROXY',
  });
}

function askGo(): string | undefined {
  try {
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    return execFileSync('go', ['env', 'GOPROXY'], {
      encoding: 'utf8',
      timeout: 20_000,
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: '/',
    }).trim();
  } catch {
    return undefined;
  }
}
