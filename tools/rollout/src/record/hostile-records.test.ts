import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { isRecord } from '#core';
import { type FakeCluster, fakeCluster } from '#ports/testing';
import { TINY } from '#site/testing';
import { readLedger } from './ledger-store.ts';
import { readRecords, readRendered, writeRevision } from './record-store.ts';
import { findRollback } from './rollback.ts';
import { readRuns } from './run-store.ts';

const RECORD = {
  format: 1,
  site: TINY.name,
  revision: 1,
  state: 'good',
  content: 'a',
  startedAt: '2026-01-01T00:00:00Z',
  by: 'a@b',
  images: {},
  secrets: [],
} as const;
const SITE = { foundation: [], steps: [], secrets: [], actions: [] };
const ENTRY = { step: 'a/job/b', phase: 'setup', revision: 1, image: 'a', at: 'now' };
const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

let cluster: FakeCluster;
beforeEach(async () => {
  cluster = fakeCluster();
  await cluster.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: TINY.namespace } },
    { fieldManager: 'test', force: true },
  );
  await writeRevision(cluster, TINY, RECORD, SITE);
});

/** Writes a ConfigMap as another account could. */
async function forge(
  name: string,
  content: { data?: Record<string, string>; binaryData?: Record<string, string> },
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  await cluster.apply(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `ccp-${TINY.name}-${name}`, namespace: TINY.namespace, labels },
      ...content,
    },
    { fieldManager: 'other', force: true },
  );
}

const refused = async (read: Promise<unknown>, message: string): Promise<void> =>
  expect(read).rejects.toMatchObject({
    code: 'deploy-record-invalid',
    message: expect.stringContaining(message),
  });

describe('a forged record', () => {
  const forgeRecord = (record: string): Promise<void> =>
    forge('revision-2', { data: { record } }, { 'ccp.openstack.org/record-of': TINY.name });

  it.each<[string, object]>([
    ['parts', { parts: 1e9 }],
    ['parts', { parts: -1 }],
    ['revision', { revision: '2' }],
    ['revision', { revision: 1e300 }],
    ['state', { state: 'done' }],
    ['by', { by: { toString: 1 } }],
    ['images', { images: null }],
    ['images', { images: { a: 1 } }],
    ['secrets', { secrets: 'all' }],
    ['failures', { failures: [null] }],
    ['members', { members: { a: -1 } }],
    ['schemas', { schemas: { a: null } }],
    ['hop', { hop: { from: 1 } }],
    ['seconds', { seconds: { a: '1' } }],
    ['startedAt', { startedAt: undefined }],
  ])('is refused for its %s: %j', async (member, change) => {
    await forgeRecord(JSON.stringify({ ...RECORD, revision: 2, parts: 1, ...change }));
    await refused(readRecords(cluster, TINY), `its member "${member}" is missing or invalid`);
  });

  it.each([
    ['null', 'it is not an object'],
    ['', 'it is not JSON'],
    [DEEP, 'nested deeper than 256 levels'],
    ['{"format":1e999}', 'format'],
  ])('is refused as a document: %.20j', async (text, message) => {
    await forgeRecord(text);
    await refused(readRecords(cluster, TINY), message);
  });

  const rendered = (value: unknown): string => gzipSync(JSON.stringify(value)).toString('base64');
  it.each([
    ['no gzip stream', 'eHh4', 'incorrect header check'],
    ['256 MB of zeros', gzipSync(Buffer.alloc(256 << 20)).toString('base64'), 'larger than'],
    ['null', rendered(null), 'it is not an object'],
    ['no steps', rendered({ ...SITE, steps: {} }), 'its member "steps"'],
    [
      'an object without metadata',
      rendered({ ...SITE, foundation: [{ kind: 'a' }] }),
      'foundation',
    ],
    ['a step of null', rendered({ ...SITE, steps: [null] }), 'its member "steps"'],
    ['an action without id', rendered({ ...SITE, actions: [{}] }), 'its member "actions"'],
  ])('is refused with %s as objects', async (_, part, message) => {
    await forge('revision-1-0', { binaryData: { rendered: part } });
    const [record] = await readRecords(cluster, TINY);
    await refused(readRendered(cluster, TINY, record!), message);
    await refused(findRollback(cluster, TINY, 1), 'the record of revision 1 has invalid objects');
  });
});

describe('a forged ledger', () => {
  it.each(['null', '[]', '{}', '1', DEEP, JSON.stringify({ ...ENTRY, order: '9' })])(
    'is refused: %.40j',
    async (text) => {
      await forge('ledger', { data: { job: text } });
      await refused(readLedger(cluster, TINY), 'does not contain a valid ledger: it');
    },
  );
});

describe('forged runs', () => {
  it.each(['null', '[]', '{}', '{"format":1}', '{"format":1,"run":"1"}', DEEP])(
    'are refused: %.40j',
    async (text) => {
      await forge('runs', { data: { '000001': text } });
      await refused(readRuns(cluster, TINY), 'does not contain action runs: ');
    },
  );
});

it('reads what it wrote', async () => {
  const [record] = await readRecords(cluster, TINY);
  expect(isRecord(await readRendered(cluster, TINY, record!))).toBe(true);
});
