import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { CcpError, messageOf, redact, sha256 } from '#core';
import { npmFile, npmUrl } from '#formats';
import { readResponse } from '../read-response.ts';
import type { Fetch } from '../python/index-http.ts';
import type { NpmPackage } from '../types.ts';
import type { RequestedPackage } from './requested-packages.ts';

export interface NpmRequest {
  readonly packages: readonly RequestedPackage[];
  /** Previously locked packages; kept if package and path are equal. */
  readonly keep: readonly NpmPackage[];
}

/** Determines the hash and size of every package's archive. */
export interface NpmResolver {
  /** Raises `npm-unreachable`, `npm-missing` and `npm-mismatch`. */
  resolve(request: NpmRequest): Promise<readonly NpmPackage[]>;
}

export interface NpmResolverOptions {
  /** URLs of registries, in order; called when a package must be fetched. */
  readonly registries: () => readonly string[];
  readonly fetch: Fetch;
  readonly signal?: AbortSignal | undefined;
}

const PARALLEL = 4;
/** Maximum size of a package's archive, in bytes. */
const MAX_ARCHIVE = 256 << 20;
const TIMEOUT_MS = 600_000;

/** Opens a resolver; sends no request before `resolve`. */
export function openNpmResolver({ registries, fetch, signal }: NpmResolverOptions): NpmResolver {
  const seen = new Map<string, Promise<Pick<NpmPackage, 'integrity' | 'sha256' | 'size'>>>();
  const factsOf = (item: RequestedPackage): ReturnType<typeof factsFrom> => {
    const key = `${item.name}@${item.version}`;
    const known = seen.get(key) ?? factsFrom(item, registries(), fetch, signal);
    seen.set(key, known);
    return known;
  };
  return {
    resolve: async ({ packages, keep }) => {
      const { default: pLimit } = await import('p-limit');
      return pLimit(PARALLEL).map(packages, async (item): Promise<NpmPackage> => {
        const { path, name, version, integrity } = item;
        const kept = keep.find(
          (one) => one.path === path && one.name === name && one.version === version,
        );
        if (kept !== undefined && (integrity === undefined || integrity === kept.integrity))
          return kept;
        return { path, name, version, file: npmFile(name, version), ...(await factsOf(item)) };
      });
    },
  };
}

async function factsFrom(
  { name, version, integrity }: RequestedPackage,
  registries: readonly string[],
  fetch: Fetch,
  signal: AbortSignal | undefined,
): Promise<Pick<NpmPackage, 'integrity' | 'sha256' | 'size'>> {
  let failure = new CcpError({
    code: 'npm-unreachable',
    message: 'no npm registry is configured',
    hint: 'set "mirrors: { npm: [URL] }" in .ccp.yaml',
  });
  for (const registry of registries) {
    const url = npmUrl(registry, name, version);
    try {
      const timeout = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(url, {
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      if (answer.ok) {
        const bytes = await readResponse(answer, url, MAX_ARCHIVE, (why) => new Error(`it ${why}`));
        return check(bytes, integrity, `${basename(url)} of ${redact(registry)}`);
      }
      await answer.body?.cancel();
      const message = `${redact(registry)} answered ${answer.status} for ${name} ${version}`;
      failure = new CcpError({
        code: 'npm-missing',
        message,
        hint: 'name a version that the registry has, or another registry in .ccp.yaml ("mirrors.npm")',
      });
    } catch (cause) {
      if (cause instanceof CcpError) throw cause;
      if (signal?.aborted)
        throw new CcpError({ code: 'cancelled', message: 'locking was stopped', cause });
      failure = new CcpError({
        code: 'npm-unreachable',
        message: `${redact(registry)} did not send ${name} ${version}: ${messageOf(cause)}`,
        hint: 'check the network, the proxy, and "mirrors.npm" in .ccp.yaml',
        cause,
      });
    }
  }
  throw failure;
}

function check(
  bytes: Uint8Array,
  expected: string | undefined,
  archive: string,
): Pick<NpmPackage, 'integrity' | 'sha256' | 'size'> {
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (expected !== undefined && expected !== integrity) {
    throw new CcpError({
      code: 'npm-mismatch',
      message: `${archive} has integrity ${integrity}, package-lock.json has ${expected}`,
      hint: 'the registry has a different file with this name: find out why before you continue',
    });
  }
  return { integrity, sha256: sha256(bytes), size: bytes.length };
}
