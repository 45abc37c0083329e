import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CcpError, type CcpErrors } from '#core';
import type { GitSource, SourceFetcher } from '#ports';
import { openCache } from '../cache/open-cache.ts';
import { fetchSources, type SourceEvent } from './fetch-sources.ts';

const SOURCES = Array.from({ length: 6 }, (_, index): GitSource => ({
  url: `https://git.test/${index}`,
  commit: `${index}`.repeat(40),
  submodules: [],
}));

/**
 * A fetcher that needs 20 ms per source, raises the error that `fails` returns, and counts parallel
 * fetches.
 */
function slowFetcher(fails: (source: GitSource) => CcpError | undefined = () => undefined) {
  const seen = { running: 0, most: 0, fetched: [] as string[] };
  const fetcher: SourceFetcher = {
    reachable: async () => true,
    resolve: () => Promise.reject(new Error('nothing is resolved here')),
    async fetch(source, signal) {
      seen.most = Math.max(seen.most, ++seen.running);
      try {
        await sleep(20, undefined, { signal });
        const failure = fails(source);
        if (failure !== undefined) throw failure;
        seen.fetched.push(source.url);
      } finally {
        seen.running--;
      }
    },
    async *archive({ commit }) {
      yield Buffer.from(commit);
    },
  };
  return { fetcher, seen };
}

const newCache = () => openCache({ folder: mkdtempSync(join(tmpdir(), 'ccp-cache-')) });

it('fetches in parallel, within the limit', async () => {
  const { fetcher, seen } = slowFetcher();
  await fetchSources(newCache(), fetcher, SOURCES, { concurrency: 3 });
  expect([seen.fetched.length, seen.most]).toEqual([6, 3]);
});

it('reports all missing commits together', async () => {
  const { fetcher } = slowFetcher(({ url }) =>
    /[14]$/.test(url)
      ? new CcpError({ code: 'source-commit-missing', message: `${url} has no commit` })
      : undefined,
  );
  const thrown = await fetchSources(newCache(), fetcher, SOURCES).catch((error: unknown) => error);
  expect((thrown as CcpErrors).findings.map(({ message, inputs }) => [message, inputs])).toEqual([
    ['https://git.test/1 has no commit', ['https://git.test/1']],
    ['https://git.test/4 has no commit', ['https://git.test/4']],
  ]);
});

it('stops all fetches after another error', async () => {
  const { fetcher, seen } = slowFetcher(({ url }) =>
    url.endsWith('0')
      ? new CcpError({ code: 'source-unreachable', message: 'git.test is down' })
      : undefined,
  );
  await expect(fetchSources(newCache(), fetcher, SOURCES, { concurrency: 2 })).rejects.toThrow(
    'git.test is down',
  );
  expect([seen.running, seen.fetched.length < 3]).toEqual([0, true]);
});

it('stops when the signal is aborted', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 5);
  await expect(
    fetchSources(newCache(), slowFetcher().fetcher, SOURCES, { signal: stop.signal }),
  ).rejects.toMatchObject({ code: 'cancelled' });
});

it('reports the sources that are not cached, their progress and the end', async () => {
  const cache = newCache();
  const { fetcher } = slowFetcher();
  await fetchSources(cache, fetcher, SOURCES.slice(0, 1));
  const reporting: SourceFetcher = {
    ...fetcher,
    fetch: async (source, signal, onProgress) => {
      onProgress?.({ stage: 'receiving', percent: 50 });
      await fetcher.fetch(source, signal);
    },
  };
  const events: SourceEvent[] = [];
  const options = { events: (event: SourceEvent) => void events.push(event) };
  await fetchSources(cache, reporting, SOURCES.slice(0, 2), options);
  const url = 'https://git.test/1';
  expect(events).toEqual([
    { type: 'sources-started', sources: 1 },
    { type: 'source-progress', url, stage: 'receiving', percent: 50 },
    { type: 'source-fetched', url },
    { type: 'sources-ended' },
  ]);
  await fetchSources(cache, reporting, SOURCES.slice(0, 2), options);
  expect(events).toHaveLength(4);
  const failing = slowFetcher(() => new CcpError({ code: 'tool-missing', message: 'no git' }));
  await expect(
    fetchSources(newCache(), failing.fetcher, SOURCES.slice(0, 1), options),
  ).rejects.toMatchObject({ code: 'tool-missing' });
  expect(events.slice(4)).toEqual([
    { type: 'sources-started', sources: 1 },
    { type: 'sources-ended' },
  ]);
});
