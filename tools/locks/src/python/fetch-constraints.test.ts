import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CcpError } from '#core';
import type { SourceFetcher } from '#ports';
import { tarOf } from '#ports/testing';
import { fetchConstraints } from './fetch-constraints.ts';

const COMMIT = 'c'.repeat(40);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-constraints-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const fetcherOf = (files: Readonly<Record<string, string>>): SourceFetcher => ({
  reachable: async () => true,
  resolve: async () => ({ commit: COMMIT, version: '0.0.1.dev1' }),
  fetch: async () => undefined,
  archive: async function* () {
    yield await tarOf(files);
  },
});
const originOf = (path: string) => ({
  repository: 'https://git.example/requirements',
  ref: 'master',
  path,
  file: join(folder, 'constraints/master.txt'),
});

it('writes the constraints with the commit', async () => {
  const origin = originOf('upper-constraints.txt');
  expect(
    await fetchConstraints(
      origin,
      fetcherOf({ 'source/README': 'x', 'source/upper-constraints.txt': 'a===1\n' }),
    ),
  ).toBe(COMMIT);
  expect(readFileSync(origin.file, 'utf8')).toBe(
    `# upper-constraints.txt of https://git.example/requirements at ${COMMIT}, written by \`ccp lock\`\na===1\n`,
  );
});

it('does not suggest archives for an unreachable git host', async () => {
  const unreachable = new CcpError({
    code: 'source-unreachable',
    message: 'git cannot fetch it',
    hint: 'take published archives',
  });
  const fetcher = { ...fetcherOf({}), resolve: () => Promise.reject(unreachable) };
  await expect(fetchConstraints(originOf('upper-constraints.txt'), fetcher)).rejects.toMatchObject({
    code: 'source-unreachable',
    message: 'git cannot fetch it',
    hint: 'check the network and proxy, or name a mirror in .ccp.yaml ("mirrors.git"): upper constraints of a branch are available only from git',
  });
});

it.each([[{ 'source/other': 'a===1\n' }], [{ 'source/upper-constraints.txt': '# nothing\n' }]])(
  'refuses a tree without constraints: %j',
  async (files) => {
    await expect(
      fetchConstraints(originOf('upper-constraints.txt'), fetcherOf(files)),
    ).rejects.toMatchObject({
      code: 'source-no-constraints',
      message: `commit ${COMMIT} of https://git.example/requirements has no upper constraints in upper-constraints.txt`,
    });
  },
);
