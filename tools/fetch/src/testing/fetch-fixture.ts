import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { sha256 } from '#core';
import type { Cache } from '../cache/cache.ts';
import { openCache } from '../cache/open-cache.ts';
import { fetchFiles } from '../download/fetch-files.ts';
import type { FetchEvent, FetchOptions } from '../download/fetch.ts';
import type { LockedFile } from '../locked-file.ts';
import type { Mirrors } from '../mirrors/mirrors.ts';
import { mirrorServer, type Handler, type MirrorServer } from './mirror-server.ts';

/** Default content of a locked file. */
export const DEFAULT_BODY = 'x'.repeat(100_000) + 'end';

/** A Debian package file with the content `body`. */
export function lockedDeb(
  name: string,
  body = DEFAULT_BODY,
  archive: 'debian' | 'debian-security' = 'debian',
): LockedFile {
  return {
    kind: 'debian',
    archive,
    pool: `pool/main/${name}`,
    sha256: sha256(body),
    size: Buffer.byteLength(body),
  };
}

/** A Python project's file with the content `body`. */
export function lockedWheel(
  file: string,
  body = DEFAULT_BODY,
  project = 'Sample.Project',
): LockedFile {
  return { kind: 'python', project, file, sha256: sha256(body), size: Buffer.byteLength(body) };
}

/** A Go module's file with the content `body`. */
export function goFile(module: string, file: string, body = DEFAULT_BODY): LockedFile {
  return { kind: 'go', module, file, sha256: sha256(body), size: Buffer.byteLength(body) };
}

function mirrorsOf(...urls: readonly string[]): Mirrors {
  return {
    debian: () => ({ debian: urls, 'debian-security': urls.map((url) => `${url}/security`) }),
    python: () => urls.map((url) => ({ url: `${url}/simple/`, from: 'test' })),
    go: () => urls.map((url) => `${url}/go`),
    npm: () => urls.map((url) => `${url}/npm`),
  };
}

/**
 * Gives each test an empty cache and a function that starts mirrors, which are closed after the
 * test.
 */
export function fetchFixture() {
  let cache: Cache;
  let servers: MirrorServer[];
  beforeEach(() => {
    cache = openCache({ folder: mkdtempSync(join(tmpdir(), 'ccp-cache-')) });
    servers = [];
  });
  afterEach(() => Promise.all(servers.map((server) => server.close())));
  return {
    cache: (): Cache => cache,
    serve: async (
      files: Readonly<Record<string, string | Buffer>>,
      handler?: Handler,
    ): Promise<MirrorServer> => {
      const server = await mirrorServer(files, handler);
      servers.push(server);
      return server;
    },
    /** Fetches files from these mirrors; the returned events exclude progress. */
    run: async (
      files: readonly LockedFile[],
      urls: readonly string[],
      options: Partial<FetchOptions> = {},
    ) => {
      const events: FetchEvent[] = [];
      const report = await fetchFiles(cache, files, {
        mirrors: mirrorsOf(...urls),
        retry: { attempts: 3, firstMs: 1 },
        env: {},
        events: (event) => events.push(event),
        ...options,
      });
      return { report, events: events.filter(({ type }) => type !== 'fetch-progress') };
    },
    /** Names of unfinished downloads. */
    leftovers: (): string[] => {
      try {
        return readdirSync(cache.partialFolder);
      } catch {
        return [];
      }
    },
  };
}
