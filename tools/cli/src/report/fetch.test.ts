import { expect, it } from 'vitest';
import type { FetchEvent, SourceEvent } from '#fetch';
import { reportFetch } from './fetch.ts';

const UP = '\u001b[1A\u001b[J';
const arrived = (name: string, received: number, bytes: number): FetchEvent => ({
  type: 'fetch-progress',
  name,
  received,
  bytes,
  size: 60_000_000,
});

/** Events with the milliseconds at which they come. */
const RUN: readonly (readonly [number, FetchEvent])[] = [
  [0, { type: 'fetch-corrupt', name: 'a.deb', offline: false }],
  [0, { type: 'fetch-started', files: 2, size: 120_000_000 }],
  [50, arrived('a.deb', 1_000_000, 1_000_000)],
  // 20 MB are left from an earlier fetch.
  [2000, arrived('b.deb', 21_000_000, 1_000_000)],
  [2010, { type: 'fetch-retry', name: 'b.deb', reason: 'the connection was lost', delayMs: 500 }],
  [4000, { type: 'fetch-file', name: 'a.deb', size: 60_000_000 }],
  [4050, { type: 'fetch-ended' }],
  [5000, arrived('b.deb', 22_000_000, 1_000_000)],
];

function printedBy(
  terminal: boolean,
  run: readonly (readonly [number, FetchEvent | SourceEvent])[] = RUN,
): readonly string[] {
  const printed: string[] = [];
  let now = 0;
  const report = reportFetch(
    {
      terminal,
      info: (text) => printed.push(text),
      warn: (text) => printed.push(`! ${text}`),
      draw: (text) => printed.push(text),
    },
    { columns: 80, now: () => now },
  );
  for (const [at, event] of run) {
    now = at;
    report(event);
  }
  return printed;
}

it('redraws one line on a terminal, below the permanent lines, and removes it at the end', () => {
  expect(printedBy(true)).toEqual([
    '! a.deb: the cached bytes were damaged and are fetched again',
    'fetching 2 inputs, 120 MB',
    '  0 kB of 120 MB, 0 of 2 files\n',
    `${UP}  22 MB of 120 MB, 0 of 2 files, 1 MB/s, about 1 min 38 s left\n`,
    UP,
    'b.deb: the connection was lost; trying again in 500 ms',
    '  22 MB of 120 MB, 0 of 2 files, 996 kB/s, about 1 min 39 s left\n',
    `${UP}  81 MB of 120 MB, 1 of 2 files, 500 kB/s, about 1 min 18 s left\n`,
    UP,
  ]);
});

it('prints only the permanent lines off a terminal', () => {
  expect(printedBy(false)).toEqual([
    '! a.deb: the cached bytes were damaged and are fetched again',
    'fetching 2 inputs, 120 MB',
    'b.deb: the connection was lost; trying again in 500 ms',
  ]);
});

const fetches = (name: string, stage: string, percent: number): SourceEvent => ({
  type: 'source-progress',
  url: `https://git.test/openstack/${name}.git`,
  stage,
  percent,
});
const SOURCES: readonly (readonly [number, SourceEvent])[] = [
  [1000, { type: 'sources-started', sources: 2 }],
  [1050, fetches('nova', 'remote:', 10)],
  [1100, fetches('keystone', 'receiving', 42)],
  [1150, fetches('nova', 'receiving', 5)],
  [1160, { type: 'source-fetched', url: 'https://git.test/openstack/keystone.git' }],
  [2000, fetches('nova', 'resolving', 100)],
  [2010, { type: 'sources-ended' }],
];

it('redraws one line of git sources on a terminal, at most ten times a second', () => {
  expect(printedBy(true, SOURCES)).toEqual([
    'fetching 2 git sources',
    '  0 of 2 git sources\n',
    `${UP}  0 of 2 git sources, nova preparing 10%, keystone receiving 42%\n`,
    `${UP}  1 of 2 git sources, nova receiving 5%\n`,
    `${UP}  1 of 2 git sources, nova resolving 100%\n`,
    UP,
  ]);
  expect(printedBy(false, SOURCES)).toEqual(['fetching 2 git sources']);
});
