import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError } from '#core';
import { runTool } from '#host';
import { toolEnvironment } from '../tool-environment.ts';
import { parsePylock, preferences, type PylockPackage } from './pylock.ts';
import type { WheelTarget } from './wheel-tags.ts';

/** The newest glibc that the pinned uv accepts as a platform. */
const NEWEST_GLIBC = 40;
const TIMEOUT_MS = 600_000;
/** Message of uv 0.13 for a release that it would have to build. */
const NO_WHEEL = /Wheels are required for `([A-Za-z0-9._-]+)`/g;

export interface CompileRequest {
  readonly uv: string;
  /** URLs of the indexes in order, with their credentials; at least one. */
  readonly indexes: readonly string[];
  readonly cache: string;
  /** Temporary folder; the caller removes it. */
  readonly scratch: string;
  readonly target: WheelTarget;
  readonly requirements: readonly string[];
  readonly constraints: readonly string[];
  /** Folder of stub wheels. */
  readonly stubs: string;
  readonly prefer: readonly { readonly name: string; readonly version: string }[];
  readonly signal?: AbortSignal | undefined;
}

export type CompileResult =
  | { readonly outcome: 'resolved'; readonly packages: readonly PylockPackage[] }
  /** Releases of these projects have no compatible wheel. */
  | { readonly outcome: 'no-wheel'; readonly projects: readonly string[] }
  | { readonly outcome: 'conflict'; readonly reason: string };

/** Resolves requirements with uv, which does not build or run any package. */
export async function compile(request: CompileRequest): Promise<CompileResult> {
  const cache = join(request.cache, 'python');
  mkdirSync(cache, { recursive: true });
  mkdirSync(request.stubs, { recursive: true });
  const folder = mkdtempSync(join(request.scratch, 'compile-'));
  const output = join(folder, 'pylock.resolved.toml');
  writeFileSync(join(folder, 'requirements.in'), `${request.requirements.join('\n')}\n`);
  writeFileSync(join(folder, 'constraints.txt'), `${request.constraints.join('\n')}\n`);
  if (request.prefer.length > 0) writeFileSync(output, preferences(request.prefer));
  const result = await runTool(
    request.uv,
    [
      ...[
        'pip',
        'compile',
        '--no-config',
        '--quiet',
        '--no-header',
        '--no-build',
        '--generate-hashes',
        '--format',
        'pylock.toml',
      ],
      ...[
        '--python-version',
        request.target.python,
        '--python-platform',
        `x86_64-manylinux_2_${Math.min(request.target.glibc, NEWEST_GLIBC)}`,
      ],
      ...[
        '--find-links',
        request.stubs,
        '--constraint',
        'constraints.txt',
        '--output-file',
        output,
        'requirements.in',
      ],
    ],
    {
      folder: folder,
      env: toolEnvironment({
        // uv queries the default index last, and uses the first index that has the project.
        UV_DEFAULT_INDEX: request.indexes.at(-1) ?? '',
        ...(request.indexes.length < 2 ? {} : { UV_INDEX: request.indexes.slice(0, -1).join(' ') }),
        UV_CACHE_DIR: cache,
        UV_PYTHON_DOWNLOADS: 'never',
        UV_SYSTEM_CERTS: 'true',
        NO_COLOR: '1',
      }),
      timeoutMs: TIMEOUT_MS,
      signal: request.signal,
    },
  );
  if (result.exitCode === 0)
    return { outcome: 'resolved', packages: parsePylock(readFileSync(output, 'utf8')) };
  const projects = [...new Set([...result.stderr.matchAll(NO_WHEEL)].map((match) => match[1]!))];
  if (projects.length > 0) return { outcome: 'no-wheel', projects };
  if (/No solution found/.test(result.stderr))
    return { outcome: 'conflict', reason: result.stderr.trim() };
  throw new CcpError({
    code: 'python-resolver-failed',
    message: `uv failed with exit code ${result.exitCode}:\n${result.stderr.trim()}`,
  });
}
