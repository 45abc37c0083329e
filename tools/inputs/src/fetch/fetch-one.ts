import { CcpError, escapeGoPath, normaliseProject, npmUrl, redact, withIndexLogin, type IndexFile } from '#core';
import type { Cache } from '../cache/cache.ts';
import type { Mirrors } from '../mirrors/mirrors.ts';
import type { LockedFile } from '../types.ts';
import { download } from './download.ts';
import type { FetchEvent } from './fetch.ts';
import type { HttpClient } from './http-client.ts';
import { listProject, mayBe } from './python-index.ts';
import { asTransient, retrying, SilentError, TransientError, type RetryPolicy } from './retry.ts';

/** What the downloads of one fetch share. */
export interface FetchRun {
  readonly cache: Cache;
  readonly client: HttpClient;
  readonly mirrors: Mirrors;
  readonly signal: AbortSignal;
  readonly events: (event: FetchEvent) => void;
  readonly retry: RetryPolicy;
  /** Index and project -> its files, asked once. */
  readonly projects: Map<string, Promise<IndexFile[]>>;
  /** Mirrors that were silent once. */
  readonly silent: Set<string>;
}

/** How often a mirror may be silent before a file is given up there, and the bytes by which a try between counts as none of them. */
const SILENCES = 3;
const MOVED = 1_000_000;

/** Brings one file into the cache from the first mirror that has it, one that was silent last; resolves with the bytes received. Raises the last mirror's error. */
export async function fetchOne(run: FetchRun, file: LockedFile, name: string): Promise<number> {
  const failures: CcpError[] = [];
  const places = placesOf(run, file).map((place) => ({ ...place, silences: 0 }));
  const waiting = [...places.filter(({ mirror }) => !run.silent.has(mirror)), ...places.filter(({ mirror }) => run.silent.has(mirror))];
  for (let place = waiting.shift(); place !== undefined; place = waiting.shift()) {
    const { mirror, setting, locate } = place;
    let from: number | undefined;
    let to = 0;
    const tell = (reason: string, delayMs: number): void => run.events({ type: 'fetch-retry', name, reason, delayMs });
    try {
      const received = await retrying(
        async () => {
          const url = await locate(tell);
          const progress = (bytes: number): void => {
            from ??= bytes;
            to = bytes;
            run.events({ type: 'fetch-progress', name, received: bytes, size: file.size });
          };
          return download(run.cache, run.client, { name, url, sha256: file.sha256, size: file.size }, run.signal, progress);
        },
        run.retry,
        run.signal,
        tell,
      );
      run.events({ type: 'fetch-file', name, size: file.size });
      return received;
    } catch (thrown) {
      if (thrown instanceof SilentError && !run.signal.aborted) {
        run.silent.add(mirror);
        place.silences = to - (from ?? 0) >= MOVED ? 1 : place.silences + 1;
        if (place.silences < SILENCES) {
          waiting.push(place);
          tell(`the mirror ${redact(mirror)} is slow: ${thrown.message}`, 0);
          continue;
        }
      }
      const failure = toFailure(thrown, mirror, setting);
      if (failure === undefined || run.signal.aborted || OF_CACHE.has(failure.code)) throw failure ?? thrown;
      failures.push(failure);
    }
  }
  throw worst(failures, file);
}

/** Faults of the cache, which another mirror does not mend. */
const OF_CACHE: ReadonlySet<string> = new Set(['cache-full', 'cache-failed', 'machine-rights']);

interface Place {
  readonly mirror: string;
  /** The setting that names another. */
  readonly setting: string;
  /** URL of the file there. */
  readonly locate: (tell: (reason: string, delayMs: number) => void) => Promise<string>;
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
  return mirrors.npm().map((mirror) => ({ mirror, setting: mirrorSetting(file), locate: () => Promise.resolve(npmUrl(mirror, name, version)) }));
}

function goPlaces({ mirrors }: FetchRun, file: Extract<LockedFile, { kind: 'go' }>): Place[] {
  return mirrors
    .go()
    .map((mirror) => ({ mirror, setting: mirrorSetting(file), locate: () => Promise.resolve(`${mirror}/${escapeGoPath(file.module)}/@v/${file.file}`) }));
}

function debianPlaces({ mirrors }: FetchRun, file: Extract<LockedFile, { kind: 'debian' }>): Place[] {
  return mirrors.debian()[file.archive].map((mirror) => ({
    mirror,
    setting: mirrorSetting(file),
    locate: () => Promise.resolve(`${mirror}/${file.pool.split('/').map(encodePart).join('/')}`),
  }));
}

/** Archives keep `+` and `~` of file names as they are. */
function encodePart(part: string): string {
  return encodeURIComponent(part).replaceAll('%2B', '+').replaceAll('%3A', ':');
}

function pythonPlaces(run: FetchRun, file: Extract<LockedFile, { kind: 'python' }>): Place[] {
  return run.mirrors.python().map((index) => ({
    mirror: index.url,
    setting: mirrorSetting(file),
    async locate(tell) {
      const key = `${index.url}${normaliseProject(file.project)}`;
      let files = run.projects.get(key);
      if (files === undefined) {
        files = retrying(() => listProject(run.client, index, file.project, run.signal), run.retry, run.signal, tell);
        run.projects.set(key, files);
        files.catch((thrown: unknown) => thrown instanceof SilentError && run.projects.delete(key));
      }
      const named = (await files).filter((found) => found.file === file.file);
      const found = named.find((candidate) => mayBe(candidate, file.sha256));
      if (found !== undefined) return withIndexLogin(found.url, index.url);
      const listed = named[0]?.sha256;
      if (listed === undefined) throw new CcpError({ code: 'file-gone', message: `${file.file} is not listed at ${redact(index.url)}` });
      throw new CcpError({
        code: 'checksum-mismatch',
        message: `${redact(index.url)} lists ${file.file} with ${listed}, the lock has ${file.sha256}`,
        hint: 'the index has another file of that name: name another index in .ccp.yaml; lock again only if you know why the file changed',
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

/** A fault of the mirror as ours, naming what to set; nothing for what is no fault of a mirror. */
function toFailure(thrown: unknown, mirror: string, setting: string): CcpError | undefined {
  if (thrown instanceof CcpError) return thrown;
  const error = asTransient(thrown);
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  if (!(error instanceof TransientError) && !(error instanceof SilentError) && !UNREACHABLE.has(code) && !code.startsWith('ERR_TLS')) return undefined;
  const certificate = /CERT|SIGNATURE|ISSUER|ERR_TLS/.test(code);
  return new CcpError({
    code: 'mirror-unreachable',
    message: `the mirror ${redact(mirror)} cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
    hint: certificate
      ? 'let SSL_CERT_FILE name the certificates of your proxy or mirror'
      : `set "${setting}" in .ccp.yaml to one that answers, or HTTPS_PROXY and HTTP_PROXY to your proxy; "--offline" uses the cache alone`,
    cause: thrown,
  });
}

/** What is worth telling of several mirrors' faults: other bytes, then a file that is gone everywhere, then the last. */
function worst(failures: readonly CcpError[], file: LockedFile): CcpError {
  const mismatch = failures.find(({ code }) => code === 'checksum-mismatch');
  const last = failures.at(-1);
  if (mismatch !== undefined) return mismatch;
  if (last === undefined) throw new TypeError('there was no mirror to ask');
  if (!failures.every(({ code }) => code === 'file-gone')) return failures.find(({ code }) => code !== 'file-gone') ?? last;
  return new CcpError({ code: 'file-gone', message: last.message, hint: GONE[file.kind] });
}

const GONE = {
  debian: 'Debian\'s archive has moved on: take newer packages with "ccp lock --update", or share a cache that still has the file (CCP_CACHE)',
  python:
    'it was withdrawn, or the index is not the one it was locked from: name that in .ccp.yaml ("mirrors.python"), or take another with "ccp lock --update"',
  npm: 'it was withdrawn, or the registry is not the one it was locked from: name that in .ccp.yaml ("mirrors.npm")',
  go: 'no proxy has that version any more: name one that does in .ccp.yaml ("mirrors.go"), or ask for another in image.yaml',
} satisfies Record<LockedFile['kind'], string>;
