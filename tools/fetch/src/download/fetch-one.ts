import { CcpError, redact, type RetryPolicy } from '#core';
import { escapeGoPath, normaliseProject, npmUrl, withIndexLogin, type IndexFile } from '#formats';
import type { Cache } from '../cache/cache.ts';
import type { LockedFile } from '../locked-file.ts';
import type { Mirrors } from '../mirrors/mirrors.ts';
import { download } from './download.ts';
import type { FetchEvent } from './fetch.ts';
import type { HttpClient } from './http-client.ts';
import { listProject, mayMatch } from './python-index.ts';
import {
  asTransient,
  BrokenAnswerError,
  retryTransient,
  SilentError,
  TransientError,
} from './retry.ts';

/** State that the downloads of one fetch share. */
export interface FetchRun {
  readonly cache: Cache;
  readonly client: HttpClient;
  readonly mirrors: Mirrors;
  readonly signal: AbortSignal;
  readonly events: (event: FetchEvent) => void;
  readonly retry: RetryPolicy;
  /** Index and project -> the project's files, requested once. */
  readonly projects: Map<string, Promise<IndexFile[]>>;
  /** Mirrors that have stalled once. */
  readonly silent: Set<string>;
}

/** Consecutive stalls after which a file is no longer requested from a mirror. */
const SILENCES = 3;
/** An attempt that receives this many bytes restarts the count of stalls. */
const MOVED = 1_000_000;

/**
 * Fetches one file into the cache from the first mirror that has it, trying mirrors that stalled
 * last; resolves with the bytes received. Raises the most significant error of the mirrors.
 */
export async function fetchOne(run: FetchRun, file: LockedFile, name: string): Promise<number> {
  const failures: CcpError[] = [];
  const places = placesOf(run, file).map((place) => ({ ...place, silences: 0 }));
  const waiting = [
    ...places.filter(({ mirror }) => !run.silent.has(mirror)),
    ...places.filter(({ mirror }) => run.silent.has(mirror)),
  ];
  for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
    const { mirror, setting, locate } = place;
    let from: number | undefined;
    let to = 0;
    const report = (reason: string, delayMs: number): void =>
      run.events({ type: 'fetch-retry', name, reason, delayMs });
    try {
      const received = await retryTransient(
        async () => {
          const url = await locate(report);
          const progress = (received: number, bytes: number): void => {
            from ??= received;
            to = received;
            run.events({ type: 'fetch-progress', name, received, bytes, size: file.size });
          };
          return download(
            run.cache,
            run.client,
            { name, url, sha256: file.sha256, size: file.size },
            run.signal,
            progress,
          );
        },
        run.retry,
        run.signal,
        report,
      );
      run.events({ type: 'fetch-file', name, size: file.size });
      return received;
    } catch (thrown) {
      if (thrown instanceof SilentError && !run.signal.aborted) {
        run.silent.add(mirror);
        place.silences = to - (from ?? 0) >= MOVED ? 1 : place.silences + 1;
        if (place.silences < SILENCES) {
          waiting.push(place);
          report(`the mirror ${redact(mirror)} is slow: ${thrown.message}`, 0);
          continue;
        }
      }
      const failure = toFailure(thrown, { name, mirror, setting });
      if (failure === undefined || run.signal.aborted || CACHE_CODES.has(failure.code))
        throw failure ?? thrown;
      failures.push(failure);
    }
  }
  throw mostSignificant(failures, file);
}

/** Errors of the cache, which another mirror cannot fix. */
const CACHE_CODES: ReadonlySet<string> = new Set(['cache-full', 'cache-failed', 'machine-rights']);

interface Place {
  readonly mirror: string;
  /** The setting that configures the mirrors of this kind. */
  readonly setting: string;
  /** URL of the file at this mirror. */
  readonly locate: (report: (reason: string, delayMs: number) => void) => Promise<string>;
}

function placesOf(run: FetchRun, file: LockedFile): Place[] {
  if (file.kind === 'debian') return debianPlaces(run, file);
  if (file.kind === 'npm') return npmPlaces(run, file);
  return file.kind === 'go' ? goPlaces(run, file) : pythonPlaces(run, file);
}

/** The setting of .ccp.yaml that names the mirrors a file comes from. */
export function mirrorSetting(file: LockedFile): string {
  if (file.kind !== 'debian') return `mirrors.${file.kind}`;
  return file.archive === 'debian' ? 'mirrors.debian' : 'mirrors.debianSecurity';
}

function npmPlaces({ mirrors }: FetchRun, file: Extract<LockedFile, { kind: 'npm' }>): Place[] {
  const { name, version } = file;
  return mirrors.npm().map((mirror) => ({
    mirror,
    setting: mirrorSetting(file),
    locate: () => Promise.resolve(npmUrl(mirror, name, version)),
  }));
}

function goPlaces({ mirrors }: FetchRun, file: Extract<LockedFile, { kind: 'go' }>): Place[] {
  return mirrors.go().map((mirror) => ({
    mirror,
    setting: mirrorSetting(file),
    locate: () => Promise.resolve(`${mirror}/${escapeGoPath(file.module)}/@v/${file.file}`),
  }));
}

function debianPlaces(
  { mirrors }: FetchRun,
  file: Extract<LockedFile, { kind: 'debian' }>,
): Place[] {
  return mirrors.debian()[file.archive].map((mirror) => ({
    mirror,
    setting: mirrorSetting(file),
    locate: () => Promise.resolve(`${mirror}/${file.pool.split('/').map(encodePart).join('/')}`),
  }));
}

/** Archives do not escape `+`, `:` and `~` in file names. */
function encodePart(part: string): string {
  return encodeURIComponent(part).replaceAll('%2B', '+').replaceAll('%3A', ':');
}

function pythonPlaces(run: FetchRun, file: Extract<LockedFile, { kind: 'python' }>): Place[] {
  return run.mirrors.python().map((index) => ({
    mirror: index.url,
    setting: mirrorSetting(file),
    async locate(report) {
      const key = `${index.url}${normaliseProject(file.project)}`;
      let files = run.projects.get(key);
      if (files === undefined) {
        files = retryTransient(
          () => listProject(run.client, index, file.project, run.signal),
          run.retry,
          run.signal,
          report,
        );
        run.projects.set(key, files);
        files.catch((thrown: unknown) => thrown instanceof SilentError && run.projects.delete(key));
      }
      const named = (await files).filter((found) => found.file === file.file);
      const found = named.find((candidate) => mayMatch(candidate, file.sha256));
      if (found !== undefined) return withIndexLogin(found.url, index.url);
      const listed = named[0]?.sha256;
      if (listed === undefined)
        throw new CcpError({
          code: 'file-gone',
          message: `${file.file} is not listed at ${redact(index.url)}`,
        });
      throw new CcpError({
        code: 'checksum-mismatch',
        message: `${redact(index.url)} lists ${file.file} with SHA-256 ${listed}, the lock has ${file.sha256}`,
        hint: 'the index has a different file with that name: name another index in .ccp.yaml; lock again only if you know why the file changed',
      });
    },
  }));
}

const UNREACHABLE = new Set([
  'ENOTFOUND',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/**
 * Converts a mirror's error to one that names the setting to change; `undefined` for other errors.
 */
function toFailure(
  thrown: unknown,
  {
    name,
    mirror,
    setting,
  }: { readonly name: string; readonly mirror: string; readonly setting: string },
): CcpError | undefined {
  if (thrown instanceof CcpError) return thrown;
  if (thrown instanceof BrokenAnswerError)
    return new CcpError({
      code: 'mirror-refused',
      message: `the mirror ${redact(mirror)} sent an invalid HTTP response for ${name}: ${thrown.message}`,
      hint: `check whether a proxy or another server answers at that address, or name another mirror in .ccp.yaml ("${setting}")`,
      cause: thrown,
    });
  const error = asTransient(thrown);
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (
    !(error instanceof TransientError) &&
    !(error instanceof SilentError) &&
    !UNREACHABLE.has(code) &&
    !code.startsWith('ERR_TLS')
  )
    return undefined;
  const certificate = /CERT|SIGNATURE|ISSUER|ERR_TLS/.test(code);
  return new CcpError({
    code: 'mirror-unreachable',
    message: `the mirror ${redact(mirror)} cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
    hint: certificate
      ? 'set SSL_CERT_FILE to a file with the CA certificates of your proxy or mirror'
      : `set "${setting}" in .ccp.yaml to a mirror that can be reached, or HTTPS_PROXY and HTTP_PROXY to your proxy; "--offline" uses only the cache`,
    cause: thrown,
  });
}

/**
 * Selects the error to report: a checksum mismatch, else the first that is not `file-gone`, else
 * `file-gone`.
 */
function mostSignificant(failures: readonly CcpError[], file: LockedFile): CcpError {
  const mismatch = failures.find(({ code }) => code === 'checksum-mismatch');
  const last = failures.at(-1);
  if (mismatch !== undefined) return mismatch;
  if (last === undefined) throw new TypeError('no mirror is configured');
  if (!failures.every(({ code }) => code === 'file-gone'))
    return failures.find(({ code }) => code !== 'file-gone') ?? last;
  return new CcpError({ code: 'file-gone', message: last.message, hint: GONE[file.kind] });
}

const GONE = {
  debian:
    'Debian has removed this version: lock newer packages with "ccp lock --update", or use a cache that still has the file (CCP_CACHE)',
  python:
    'the file was withdrawn, or it was locked from another index: name that index in .ccp.yaml ("mirrors.python"), or lock another file with "ccp lock --update"',
  npm: 'the package was withdrawn, or it was locked from another registry: name that registry in .ccp.yaml ("mirrors.npm")',
  go: 'no proxy has this version any more: name a proxy that has it in .ccp.yaml ("mirrors.go"), or choose another version in image.yaml',
} satisfies Record<LockedFile['kind'], string>;
