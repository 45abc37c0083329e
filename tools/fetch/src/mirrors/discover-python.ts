import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CcpError } from '#core';
import { readBounded } from '#host';
import { ifReadable } from './discover-debian.ts';
import type { PythonIndex } from './mirrors.ts';
import { requireUrl } from './require-url.ts';

const MAX_BYTES = 16 << 20;

/** The host settings that discovery reads. */
export interface PythonHost {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  /** The host's file system. */
  readonly root: string;
  /** pip's default URL; `undefined` if pip is not installed. */
  readonly pipDefault: () => string | undefined;
}

/**
 * Finds the simple indexes that uv or pip would use on this host, the main index first: from their
 * environment variables, uv's files, pip's files, else pip's default. Raises `mirror-unknown` if no
 * index is found, and `mirror-invalid`.
 */
export function discoverPythonIndex(host: Partial<PythonHost> = {}): PythonIndex[] {
  const { env = process.env, home = homedir(), root = '/', pipDefault = askPip } = host;
  const places = [
    () => fromEnvironment(env),
    () => fromUv(env, home, root),
    () => fromPip(env, home, root),
    () => fromDefault(pipDefault),
  ];
  for (const place of places) {
    const found = place().filter(({ url }) => /^https?:\/\//.test(url));
    if (found.length > 0)
      return found.map(({ url, from }) => ({
        url: requireUrl(url, from).replace(/\/*$/, '/'),
        from,
      }));
  }
  throw new CcpError({
    code: 'mirror-unknown',
    message:
      'no Python package index is configured: neither uv nor pip names one, and pip was not found',
    hint: 'set "mirrors: { python: [URL] }" in .ccp.yaml, or PIP_INDEX_URL',
  });
}

function fromEnvironment(env: NodeJS.ProcessEnv): PythonIndex[] {
  for (const [main, extra] of [
    ['UV_DEFAULT_INDEX', 'UV_INDEX'],
    ['UV_INDEX_URL', 'UV_EXTRA_INDEX_URL'],
    ['PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL'],
  ] as const) {
    const url = env[main];
    if (url === undefined || url === '') continue;
    const more = (env[extra] ?? '').split(/\s+/).filter((word) => word !== '');
    return [url, ...more].map((named, index) => ({
      url: named.replace(/^[\w-]+=(?=https?:)/, ''),
      from: index === 0 ? main : extra,
    }));
  }
  return [];
}

function fromUv(env: NodeJS.ProcessEnv, home: string, root: string): PythonIndex[] {
  const files = [
    env['UV_CONFIG_FILE'],
    join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'uv/uv.toml'),
    join(root, 'etc/uv/uv.toml'),
  ];
  for (const file of files) {
    const text =
      file === undefined ? undefined : ifReadable(() => readBounded(file, MAX_BYTES).toString());
    if (file === undefined || text === undefined) continue;
    const urls = uvIndexes(text, file);
    if (urls.length > 0) return urls.map((url) => ({ url, from: file }));
  }
  return [];
}

function uvIndexes(text: string, file: string): string[] {
  const require = createRequire(import.meta.url);
  const { parse } = require('smol-toml') as typeof import('smol-toml');
  let config: Record<string, unknown>;
  try {
    config = parse(text);
  } catch (cause) {
    throw new CcpError({
      code: 'mirror-unknown',
      message: `${file} is not valid TOML`,
      hint: 'fix the file, or set "mirrors: { python: [URL] }" in .ccp.yaml',
      at: { file },
      cause,
    });
  }
  const indexes = Array.isArray(config['index'])
    ? (config['index'] as { url?: unknown; default?: unknown }[])
    : [];
  const main = indexes.find((index) => index.default === true)?.url ?? config['index-url'];
  return typeof main === 'string' ? [main] : [];
}

function fromPip(env: NodeJS.ProcessEnv, home: string, root: string): PythonIndex[] {
  const user = join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'pip/pip.conf');
  const files = [
    env['PIP_CONFIG_FILE'],
    user,
    join(home, '.pip/pip.conf'),
    join(root, 'etc/pip.conf'),
  ];
  for (const file of files) {
    const text =
      file === undefined ? undefined : ifReadable(() => readBounded(file, MAX_BYTES).toString());
    const options = text === undefined ? undefined : pipOptions(text);
    const url = options?.get('index-url');
    if (file === undefined || url === undefined) continue;
    return [url, ...(options?.get('extra-index-url') ?? '').split(/\s+/)]
      .filter((word) => word !== '')
      .map((found) => ({ url: found, from: file }));
  }
  return [];
}

/**
 * Options of the `global` and `install` sections of a pip.conf, the later section winning as in
 * pip.
 */
function pipOptions(text: string): Map<string, string> {
  const sections: Record<string, Map<string, string>> = { global: new Map(), install: new Map() };
  let section: Map<string, string> | undefined;
  let last: string | undefined;
  for (const line of text.split('\n')) {
    const heading = /^\[([^\]]*)\]/.exec(line);
    const option = /^([\w-]+)\s*[=:]\s*(.*)$/.exec(line);
    if (heading !== null) section = sections[heading[1] ?? ''];
    else if (/^\s*[#;]/.test(line)) continue;
    else if (option !== null)
      section?.set((last = (option[1] ?? '').replaceAll('_', '-')), (option[2] ?? '').trim());
    else if (/^\s+\S/.test(line) && last !== undefined)
      section?.set(last, `${section.get(last) ?? ''} ${line.trim()}`.trim());
  }
  return new Map([...(sections['global'] ?? []), ...(sections['install'] ?? [])]);
}

function fromDefault(pipDefault: () => string | undefined): PythonIndex[] {
  const url = pipDefault();
  return url === undefined ? [] : [{ url, from: "pip's default" }];
}

function askPip(): string | undefined {
  try {
    const { execFileSync } = process.getBuiltinModule('node:child_process');
    const program = 'from pip._internal.models.index import PyPI; print(PyPI.simple_url)';
    return execFileSync('python3', ['-I', '-c', program], {
      encoding: 'utf8',
      timeout: 20_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}
