import { CcpError } from '#core';

/** The host as discovery sees it. */
export interface GoHost {
  readonly env: NodeJS.ProcessEnv;
  /** What `go env GOPROXY` prints; nothing where there is no go. */
  readonly goDefault: () => string | undefined;
}

/**
 * The module proxies that `go` would ask here, in its order: GOPROXY of the environment, else of its own configuration or
 * default. What is no HTTP proxy (`direct`, `off`) is left out. Raises `mirror-unknown` where there is none.
 */
export function discoverGoProxies(host: Partial<GoHost> = {}): string[] {
  const { env = process.env, goDefault = askGo } = host;
  const named = env['GOPROXY'] || goDefault() || '';
  const found = named
    .split(/[,|]/)
    .map((url) => url.trim().replace(/\/+$/, ''))
    .filter((url) => /^https?:\/\//.test(url));
  if (found.length > 0) return found;
  throw new CcpError({
    code: 'mirror-unknown',
    message:
      named === ''
        ? 'no proxy of Go modules is known: GOPROXY is not set, and there is no go to ask for its default'
        : `GOPROXY is ${JSON.stringify(named)}, which names no proxy over HTTP`,
    hint: 'set "mirrors: { go: [URL] }" in .ccp.yaml, or GOPROXY',
  });
}

function askGo(): string | undefined {
  try {
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    return execFileSync('go', ['env', 'GOPROXY'], { encoding: 'utf8', timeout: 20_000, stdio: ['ignore', 'pipe', 'ignore'], cwd: '/' }).trim();
  } catch {
    return undefined;
  }
}
