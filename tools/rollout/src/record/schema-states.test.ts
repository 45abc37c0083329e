import { describe, expect, it } from 'vitest';
import type { ObjectKey, SchemaRevisions, Step } from '#site';
import { schemaStates, schemaStateText } from './schema-states.ts';

// Two trees: a1 <- a2, and the branches e1 <- e2 (expand) and c1 <- c2 (contract) of `root`. c2
// replaces e2, on which it depends.
const API: SchemaRevisions = { a1: { after: [] }, a2: { after: ['a1'] } };
const EXPAND: SchemaRevisions = {
  root: { after: [] },
  e1: { after: ['root'] },
  e2: { after: ['e1'] },
};
const CONTRACT: SchemaRevisions = {
  c1: { after: ['root'], contract: true },
  c2: { after: ['c1', 'e2'], contract: true },
};
const LATER: SchemaRevisions = { e3: { after: ['e2'] } };
const BASE: ObjectKey = 'StatefulSet/base';

interface Case {
  readonly databases?: readonly string[];
  readonly later?: SchemaRevisions;
  readonly contracted?: boolean;
}

function textsOf(
  server: Readonly<Record<string, readonly string[]>>,
  { databases = ['web'], later, contracted = false }: Case = {},
): string[] {
  const step = {
    id: 'web/job/contract',
    instance: 'web',
    phase: 'contract',
    objects: [{ metadata: { name: 'web-contract' } }],
  } as unknown as Step;
  const ledger = contracted
    ? {
        'web-contract': {
          step: step.id,
          phase: step.phase,
          revision: 1,
          image: 'x',
          at: 'any time',
        },
      }
    : {};
  const schema = {
    revisions: { ...API, ...EXPAND },
    contracting: CONTRACT,
    databases: Object.fromEntries(databases.map((name) => [name, BASE])),
    users: [],
  };
  const records = later === undefined ? [] : [{ schemas: { web: later } }];
  return schemaStates(
    { schemas: { web: schema }, steps: [step] },
    records,
    ledger,
    new Map([[BASE, server]]),
  ).map((state) => `${state.state}: ${schemaStateText(state)}`);
}

describe('the schema of a database', () => {
  it.each<[string, Readonly<Record<string, readonly string[]>>, string, Case?]>([
    ['the newest migrations', { web: ['e2'] }, 'current: database web has all migrations of web'],
    [
      'the newest migrations of both branches',
      { web: ['e2', 'c1'] },
      'current: database web has all migrations of web',
    ],
    [
      'a contract migration that replaced the expand one it depends on',
      { web: ['c2'] },
      'current: database web has all migrations of web',
      { contracted: true },
    ],
    ['older migrations', { web: ['e1'] }, 'behind: database web lacks 1 migration of web: e2'],
    [
      'older migrations of the contract branch, after the contract',
      { web: ['e2', 'c1'] },
      'behind: database web lacks 1 migration of web: c2',
      { contracted: true },
    ],
    ['no migrations', { web: [] }, 'behind: database web of web has no migrations'],
    ['no table', {}, 'behind: database web of web has no migrations'],
    [
      'migrations of a later release',
      { web: ['e3'] },
      'ahead: database web has 1 migration of a later release of web: e3',
      { later: LATER },
    ],
    [
      'unknown migrations',
      { web: ['e9', 'c1'] },
      'unknown: database web has migrations that no recorded release of web has: e9',
    ],
  ])('with %s is judged', (_, server, text, more) => {
    expect(textsOf(server, more)).toEqual([text]);
  });

  it('is compared with its own tree of migrations only', () => {
    const databases = ['web', 'web_api', 'web_cell0'];
    expect(textsOf({ web: ['e2'], web_api: ['a1'], web_cell0: ['e1'] }, { databases })).toEqual([
      'current: database web has all migrations of web',
      'behind: database web_api lacks 1 migration of web: a2',
      'behind: database web_cell0 lacks 1 migration of web: e2',
    ]);
  });

  it('is not judged if the order of migrations is unknown, or nobody publishes any', () => {
    expect(textsOf({ web: ['e1'] }, { later: { x: {} } })).toEqual([]);
    const schema = { revisions: API, databases: { web: BASE }, users: [] };
    expect(schemaStates({ schemas: { web: schema }, steps: [] }, [], {}, new Map())).toEqual([]);
  });
});
