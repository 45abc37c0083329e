import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const BUILDER = fileURLToPath(
  new URL('../../images/openstack-builder/files/opt/builder', import.meta.url),
);
const PROGRAM =
  'import json, pathlib, sys, schema_changes\nprint(json.dumps(schema_changes.revisions(pathlib.Path(sys.argv[1]))))';

type Revision = {
  readonly after: readonly string[];
  readonly file: string;
  readonly contract: boolean;
  readonly changes: readonly (readonly [string, string, number])[];
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-schema-'));
});
afterAll(() => rmSync(root, { recursive: true }));

let folders = 0;

/** The revisions of a package with these migrations, by path below `versions`. */
function revisions(migrations: Readonly<Record<string, string>>): Record<string, Revision> {
  const folder = join(root, String((folders += 1)), 'pkg');
  for (const [path, text] of Object.entries(migrations)) {
    const file = join(folder, 'db/versions', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const { stdout, stderr, status } = spawnSync('python3', ['-B', '-c', PROGRAM, folder], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: BUILDER },
  });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Record<string, Revision>;
}

/** The text of a migration whose function `upgrade` has this line. */
function migrationWith(line: string, revision: string): string {
  return `revision: str = '${revision}'\ndown_revision = 'a'\ndef upgrade():\n    ${line}\n`;
}

describe('changes of a migration', () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    [
      'additive',
      {
        "op.create_table('t', sa.Column('id', sa.Integer, nullable=False))": '',
        "op.add_column('t', sa.Column('c', sa.Integer))": '',
        "op.add_column('t', sa.Column('c', sa.Text, nullable=False, server_default='1'))": '',
        "op.create_index('i', 't', ['c'])": '',
        "op.drop_index('i', table_name='t')": '',
        "op.alter_column('t', 'c', nullable=True)": '',
        'op.execute("UPDATE t SET c = 1")': '',
        'session.execute(sa.insert(t).values(rows))': '',
        pass: '',
      },
    ],
    [
      'destructive',
      {
        "op.drop_column('t', 'c')": 'drops a column',
        "op.drop_table('t')": 'drops a table',
        "op.rename_table('t', 'u')": 'renames a table',
        "op.alter_column('t', 'c', new_column_name='d')": 'renames a column',
        'table.drop(op.get_bind())': 'drops a table',
        "drop_column('t', 'c')": 'drops a column',
        'op.execute("drop table t")': 'runs SQL that removes parts of the schema',
        'op.execute("ALTER TABLE t DROP COLUMN c")': 'runs SQL that removes parts of the schema',
      },
    ],
    [
      'deleting',
      {
        'session.execute(sa.delete(t))': 'deletes rows',
        'session.query(T).filter(T.id == 1).delete()': 'deletes rows',
        'op.execute("delete from t")': 'deletes rows',
        'op.execute(sa.text("TRUNCATE TABLE t"))': 'deletes rows',
      },
    ],
    [
      'tightening',
      {
        "op.alter_column('t', 'c', nullable=False)": 'forbids NULL in a column',
        "op.alter_column('t', 'c', type_=sa.Integer)": 'changes the type of a column',
        "op.alter_column('t', 'c', server_default=None)": 'removes the default of a column',
        "op.create_unique_constraint('u', 't', ['c'])": 'adds a unique constraint',
        "op.create_index('i', 't', ['c'], unique=True)": 'adds a unique index',
        "op.create_foreign_key('f', 't', 'u', ['c'], ['d'])": 'adds a foreign key',
        "op.add_column('t', sa.Column('c', sa.Integer, nullable=False))":
          'adds a column without a default that forbids NULL',
        'op.execute(statement)': 'runs SQL that cannot be classified',
        'op.execute("ALTER TABLE t ENGINE = x")': 'runs SQL that cannot be classified',
      },
    ],
  ])('are %s', (kind, lines) => {
    const names = Object.keys(lines).map((_, index) => `r${index}`);
    const found = revisions(
      Object.fromEntries(
        Object.keys(lines).map((line, index) => [
          `${index}.py`,
          migrationWith(line, names[index]!),
        ]),
      ),
    );
    expect(names.map((name) => found[name]!.changes)).toEqual(
      Object.values(lines).map((text) => (text === '' ? [] : [[kind, text, 4]])),
    );
  });

  it('finds changes in batches and in functions that upgrade calls, in the order of lines', () => {
    const text = [
      "revision, down = 'x', 'y'",
      "revision = 'b'",
      "down_revision = ('a', 'c')",
      'def remove():',
      "    op.drop_table('t')",
      'def upgrade():',
      "    with op.batch_alter_table('t') as batch:",
      "        batch.drop_column('c')",
      '    remove()',
      'def downgrade():',
      "    op.drop_table('never')",
      'def expand_drop_exceptions():',
      "    return op.drop_table('never')",
    ].join('\n');
    expect(revisions({ 'b.py': text })).toEqual({
      b: {
        after: ['a', 'c'],
        file: 'pkg/db/versions/b.py',
        contract: false,
        changes: [
          ['destructive', 'drops a table', 5],
          ['destructive', 'drops a column', 8],
        ],
      },
    });
  });
});

it('knows the contract branch by a folder or by a file name', () => {
  const migration = (name: string): string => `revision = '${name}'\ndown_revision = None\n`;
  const found = revisions({
    'yoga/contract/a.py': migration('a'),
    'yoga/expand/b_contracts.py': migration('b'),
    'zed_contract_c.py': migration('c'),
    'zed_contract01_d.py': migration('d'),
    'helpers.py': 'x = 1\n',
  });
  expect(Object.entries(found).map(([name, { contract }]) => [name, contract])).toEqual([
    ['a', true],
    ['b', false],
    ['d', true],
    ['c', true],
  ]);
});

describe('migrations that never run', () => {
  const chain = (newest: string): Readonly<Record<string, string>> => ({
    'a.py': "revision = 'a'\ndown_revision = None\n",
    'one/expand/b.py': "revision = 'b'\ndown_revision = 'a'\n",
    'two/expand/c.py': "revision = 'c'\ndown_revision = 'b'\n",
    'one/contract/d.py': "revision = 'd'\ndown_revision = 'a'\n",
    EXPAND_HEAD: newest,
    CONTRACT_HEAD: 'd\n',
  });

  it.each([
    ['b\n', ['a', 'b', 'd']],
    ['c\n', ['a', 'b', 'c', 'd']],
    // A file that names an unknown revision says nothing about the others.
    ['x\n', ['a', 'b', 'c', 'd']],
  ])('are left out if EXPAND_HEAD is %j', (newest, ids) => {
    expect(Object.keys(revisions(chain(newest))).sort()).toEqual(ids);
  });
});
