import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';
import { runProgram, type ProgramRun } from './run-program.ts';

const dumpOf = (rows: readonly string[]): string =>
  [
    'CREATE DATABASE /*!32312 IF NOT EXISTS*/ `keystone`;',
    'USE `keystone`;',
    'CREATE TABLE `user` (',
    '  `id` int(11) NOT NULL',
    ');',
    'INSERT INTO `user` VALUES',
    `${rows.join(',\n')};`,
    'CREATE TABLE `empty` (',
    '  `id` int(11) NOT NULL',
    ');',
    '-- Dump completed',
    '',
  ].join('\n');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-backups-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Case {
  readonly dump?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The server refuses the dump. */
  readonly fails?: boolean;
  /** The server does not answer. */
  readonly away?: boolean;
}

const run = (
  mode: string,
  { dump = dumpOf(["(1,'a\\nb')", "(2,'c')"]), env = {}, fails = false, away = false }: Case = {},
) =>
  runProgram('mariadb/config/dump.sh', [mode], {
    env: {
      BACKUPS: folder,
      BACKUP: 'nightly',
      KEEP: '2',
      DATABASE_HOST: 'mariadb.test',
      DATABASE_PORT: '3306',
      BACKUP_PASSWORD: 'b4ckup',
      ROOT_PASSWORD: 'r00t',
      TERMINATION_LOG: '/dev/null',
      ...env,
    },
    files: {
      'etc/ccp/tally.pl': readFileSync(join(REPOSITORY, 'images/mariadb/config/tally.pl'), 'utf8'),
      'var/dump': dump,
    },
    stubs: {
      mariadb: `case $* in
  *SCHEMATA*) echo keystone ;;
  *last_committed*) printf 'wsrep_last_committed\\t41\\n' ;;
  *state_uuid*) printf 'wsrep_local_state_uuid\\ta-uuid\\n' ;;
  *VERSION*) echo 11.8.3-MariaDB ;;
  *information_schema.TABLES*) printf 'keystone\\nneutron\\nnova\\n' ;;
  *version_num*keystone*) echo '"29e87d24a316"' ;;
  *version_num*neutron*) echo '"ad80a9f07c5c","b1bca967e19d"' ;;
  *version_num*) echo NULL ;;
  *) cat >/dev/null ${fails ? '; exit 1' : ''} ;;
esac`,
      'mariadb-dump': `cat "$(dirname "$0")/../var/dump"`,
      'mariadb-install-db': '',
      'mariadb-admin': away ? 'exit 1' : '',
      mariadbd: 'exec sleep 60',
    },
  });
const names = (): string[] =>
  readdirSync(folder)
    .map((name) => name.replace(/\.\d{8}t\d{6}z$/, '.TIME'))
    .sort();
const good = (result: ProgramRun): string => {
  expect(result).toMatchObject({ status: 0, stderr: '' });
  return result.stdout.replaceAll(/\d{8}t\d{6}z/g, 'TIME');
};

describe('backup', () => {
  it('counts rows of inserts with columns, and passes over statements of triggers', () => {
    const dump = dumpOf(['(1)', '(2)', '(3)'])
      .replace('`user` VALUES', '`user` (`id`, `name`) VALUES')
      .replace(
        '-- Dump completed',
        'DELIMITER ;;\nCREATE TRIGGER t BEFORE INSERT ON user FOR EACH ROW\nINSERT INTO log SET a = 1 ;;\nDELIMITER ;\n-- Dump completed',
      );
    expect(good(run('backup', { dump }))).toMatch(/^wrote keystone to nightly\.TIME, 3 rows/);
  });

  it('fails for an insert that it cannot count', () => {
    const dump = dumpOf(['(1)']).replace('`user` VALUES\n', '`user` VALUES ');
    const { status, stderr } = run('backup', { dump });
    expect([status === 0, stderr]).toEqual([false, 'unknown form of INSERT INTO `user`\n']);
    expect(names()).not.toContain('nightly');
  });

  it('writes a dump by the limited account, with the rows and sums of its tables', () => {
    const result = run('backup');
    expect(good(result)).toMatch(
      /^wrote keystone to nightly\.TIME, 2 rows of 2 tables, \d+ bytes\n$/,
    );
    expect(result.calls.find((call) => call.startsWith('mariadb-dump'))).toBe(
      'mariadb-dump --defaults-file=/tmp/client.cnf --single-transaction --routines --events --triggers --hex-blob --skip-dump-date --add-drop-database --databases keystone',
    );
    expect(names()).toEqual(['nightly', 'nightly.TIME']);
    expect(readlinkSync(join(folder, 'nightly'))).toMatch(/^nightly\.\d{8}t\d{6}z$/);
    expect(JSON.parse(readFileSync(join(folder, 'nightly/manifest.json'), 'utf8'))).toEqual({
      format: 1,
      name: 'nightly',
      started: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      ended: expect.stringMatching(/Z$/),
      server: '11.8.3-MariaDB',
      cluster: 'a-uuid',
      from: '41',
      to: '41',
      bytes: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      tables: {
        'keystone.empty': { rows: 0, sum: '0'.repeat(64) },
        'keystone.user': { rows: 2, sum: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    });
  });

  it('has a sum that does not depend on the order of rows', () => {
    const sum = (): string => readFileSync(join(folder, 'nightly/tables'), 'utf8');
    good(run('backup', { dump: dumpOf(['(1)', '(2)', '(2)']) }));
    const first = sum();
    good(run('backup', { dump: dumpOf(['(2)', '(1)', '(2)']) }));
    expect(sum()).toBe(first);
    good(run('backup', { dump: dumpOf(['(2)', '(1)', '(1)']) }));
    expect(sum()).not.toBe(first);
  });

  it('keeps the last good backup if the dump ends early', () => {
    good(run('backup'));
    const before = readlinkSync(join(folder, 'nightly'));
    const result = run('backup', { dump: 'USE `keystone`;\nCREATE TABLE `user` (\n' });
    expect(result).toMatchObject({ status: 255, stderr: 'the dump ends early\n' });
    expect(readlinkSync(join(folder, 'nightly'))).toBe(before);
    expect(names()).toEqual(['.new-nightly', 'nightly', 'nightly.TIME']);
  });

  it('removes the oldest backups of its name only', () => {
    for (const old of ['nightly.20250101t000000z', 'nightly.20250102t000000z', 'nightly.own', 'x'])
      writeFileSync(join(folder, old), '');
    expect(good(run('backup'))).toMatch(/\nremoved nightly\.TIME\n$/);
    expect(names()).toEqual(['nightly', 'nightly.TIME', 'nightly.TIME', 'nightly.own', 'x']);
    expect(readdirSync(folder)).toContain('nightly.20250102t000000z');
  });
});

describe('a restore', () => {
  it('refuses a dump that is not as it was written', () => {
    good(run('backup'));
    writeFileSync(join(folder, 'nightly/dump.sql.gz'), 'x');
    const damaged = {
      status: 1,
      stdout: '',
      stderr: 'the dump of nightly is damaged: its SHA-256 is not the one of its manifest\n',
    };
    // A restore that ends with 66 has changed nothing.
    expect([run('restore'), run('verify'), run('check')]).toMatchObject([
      { ...damaged, status: 66 },
      damaged,
      damaged,
    ]);
  });

  it('runs as root, and lists the backups if none has the name', () => {
    good(run('backup'));
    expect(good(run('restore'))).toMatch(
      /^restored nightly\.TIME, written at .*Z\naccounts and settings of the apps are set up again by the next apply\n$/,
    );
    const { status, stderr } = run('restore', { env: { BACKUP: 'weekly' } });
    expect([status, stderr.replaceAll(/\d{8}t\d{6}z/g, 'TIME')]).toEqual([
      66,
      'there is no backup weekly; there are: nightly nightly.TIME\n',
    ]);
    expect(run('check', { env: { BACKUP: 'weekly' } })).toMatchObject({ status: 1, stderr });
  });

  it('has a check that changes nothing', () => {
    good(run('backup'));
    expect(good(run('check'))).toBe('nightly.TIME can be restored\n');
    const { status, stderr } = run('check', { away: true });
    expect([status, stderr]).toEqual([1, 'the database does not answer\n']);
  });
});

describe('a restore of databases with migrations', () => {
  it('reports the newest migrations of each database in its termination message', () => {
    good(run('backup'));
    const message = join(folder, 'nightly/message');
    good(run('restore', { env: { TERMINATION_LOG: message } }));
    expect(JSON.parse(readFileSync(message, 'utf8'))).toEqual({
      schemas: {
        keystone: ['29e87d24a316'],
        neutron: ['ad80a9f07c5c', 'b1bca967e19d'],
        nova: [],
      },
    });
  });

  it('that fails after its start may have changed something', () => {
    good(run('backup'));
    const { status } = run('restore', { fails: true });
    expect(status).toBe(1);
  });
});

describe('a verification', () => {
  const scratch = (): Readonly<Record<string, string>> => ({ SCRATCH: folder });

  it('restores into a server of its own and compares all rows', () => {
    good(run('backup'));
    expect(good(run('verify', { env: scratch() }))).toMatch(
      /^restored nightly\.TIME into a server of its own in \d s: 2 rows of 2 tables, all as written\n$/,
    );
    expect(readFileSync(join(folder, 'nightly/verified'), 'utf8')).toMatch(/Z\n$/);
  });

  it('names the tables that came back otherwise', () => {
    good(run('backup'));
    const other = run('verify', {
      dump: dumpOf(["(1,'a\\nb')", "(2,'d')"]),
      env: scratch(),
    });
    expect(other).toMatchObject({
      status: 1,
      stderr: 'rows of keystone.user differ\nnightly is not what was written\n',
    });
    const fewer = run('verify', { dump: dumpOf(["(2,'c')"]), env: scratch() });
    expect(fewer.stderr).toBe('keystone.user has 1 rows, not 2\nnightly is not what was written\n');
    expect(readdirSync(join(folder, 'nightly'))).not.toContain('verified');
  });
});

describe('a transfer', () => {
  const call = (words: readonly string[], backup: string, stubs = {}) =>
    runProgram('mariadb/config/dump.sh', words, {
      env: { BACKUPS: folder, BACKUP: backup, LIMIT: '2' },
      stubs,
    });
  const full = (): string => readlinkSync(join(folder, 'nightly'));

  it('sends the files of the newest backup', () => {
    good(run('backup'));
    expect(good(call(['name'], 'nightly'))).toBe('nightly.TIME\n');
    expect(good(call(['send', 'manifest.json'], 'nightly'))).toContain('"name": "nightly"');
  });

  it('receives a backup, which gets its name if it is whole', () => {
    good(run('backup'));
    const name = full();
    const files = ['manifest.json', 'tables', 'dump.sql.gz'].map(
      (file) => [file, readFileSync(join(folder, name, file))] as const,
    );
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const receive = (file: string, content: Buffer): void => {
      mkdirSync(join(folder, `.new-${name}`), { recursive: true });
      writeFileSync(join(folder, `.new-${name}`, file), content);
    };
    for (const [file, content] of files) receive(file, content);
    receive('dump.sql.gz', Buffer.from('half'));
    expect(call(['accept'], name)).toMatchObject({
      status: 1,
      stderr: `the dump of .new-${name} is damaged: its SHA-256 is not the one of its manifest\n`,
    });
    for (const [file, content] of files) receive(file, content);
    good(call(['accept'], name));
    expect(full()).toBe(name);
    expect(names()).toEqual(['nightly', 'nightly.TIME']);
  });

  it('is a failure if nothing ends it', () => {
    expect(call(['transfer'], 'nightly', { sleep: '' })).toMatchObject({
      status: 1,
      stderr: 'nothing ended the transfer within 2 s\n',
    });
  });
});
