import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { MODULES } from './galera-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-members-'));
const file = join(folder, 'members.properties');
afterAll(() => rmSync(folder, { recursive: true }));

const perl = (program: string): string =>
  execFileSync('perl', [`-I${MODULES}`, '-we', program], {
    encoding: 'utf8',
    env: { ...process.env, MEMBERS_FILE: file },
  });

describe('the members of a Galera cluster', () => {
  const others = (view: string): string =>
    perl(
      `use Galera::Members; print join ' ', Galera::Members::wanted(), '|', Galera::Members::others('db-0', '${view}');`,
    );

  it('lists the members of the file, lowest ordinal first', () => {
    writeFileSync(file, 'peers = db-10.peers.x,db-0.peers.x,db-2.peers.x\n');
    expect(others('')).toBe('db-0 db-2 db-10 | db-10.peers.x db-2.peers.x');
  });

  it('lists the members of the last view while the file is out of date', () => {
    writeFileSync(file, 'peers = db-0.peers.x\n');
    expect(others('db-0,db-1')).toBe('db-0 | db-1.peers.x');
  });
});

describe('a file of members without a list', () => {
  const read = (...texts: readonly string[]) =>
    spawnSync(
      'perl',
      [
        `-I${MODULES}`,
        '-we',
        'use Galera::Members; for my $text (@ARGV) { open my $out, ">", $ENV{MEMBERS_FILE}; print $out $text; close $out; print join( " ", Galera::Members::others("db-0") ), "\\n" }',
        ...texts,
      ],
      { encoding: 'utf8', env: { ...process.env, MEMBERS_FILE: file } },
    );
  const GOOD = 'peers = db-0.peers.x,db-1.peers.x\n';

  it('leaves the list that was read before, and is logged once', () => {
    const { status, stdout, stderr } = read(GOOD, 'peers = \n', 'pears = db-0.peers.x\n', '');
    expect([status, stdout]).toEqual([0, 'db-1.peers.x\n'.repeat(4)]);
    expect(stderr).toMatch(/^\S+Z galera: [^\n]*\n$/);
    expect(stderr.replace(/^\S+ /, '')).toBe(
      `galera: no members in ${file}; they remain db-0.peers.x, db-1.peers.x\n`,
    );
  });

  it('is logged again after a list', () => {
    const { stdout, stderr } = read(GOOD, '', 'peers = db-0.peers.x,db-2.peers.x\n', '');
    expect(stdout).toBe('db-1.peers.x\ndb-1.peers.x\ndb-2.peers.x\ndb-2.peers.x\n');
    expect(stderr.match(/they remain .*/g)).toEqual([
      'they remain db-0.peers.x, db-1.peers.x',
      'they remain db-0.peers.x, db-2.peers.x',
    ]);
  });

  it('includes a list with a name that no member can have', () => {
    expect(read(GOOD, 'peers = db-0.peers.x,db1.peers.x\n').stdout).toBe(
      'db-1.peers.x\n'.repeat(2),
    );
  });

  it('is an error if no list was read before', () => {
    const { status, stderr } = read('peers = \n');
    expect([status, stderr]).toEqual([expect.any(Number), `no members in ${file}\n`]);
    expect(status).not.toBe(0);
  });
});

describe('the writer of a Galera cluster', () => {
  const writer = (...members: readonly string[]): string =>
    perl(
      `use Galera::Writer; my %r = map { my %m = /(\\w+)=([^ ]*)/g; ( $m{member} => { full => '', writer => '', %m } ) } ${members.map((each) => `'${each}'`).join(', ')}; print Galera::Writer::choose(\\%r);`,
    );
  const serves = (ordinal: number, more = ''): string =>
    `member=db-${ordinal} state=serving ${more}`;

  it('is the member that most believe in, and the lowest ordinal without a belief', () => {
    expect(writer(serves(0), serves(1), serves(2))).toBe('db-0');
    expect(writer(serves(0), serves(1, 'writer=db-1'), serves(2, 'writer=db-1'))).toBe('db-1');
  });

  it('is a member that serves', () => {
    expect(writer('member=db-0 state=joining', serves(1, 'writer=db-0'))).toBe('db-1');
    expect(writer('member=db-0 state=joining')).toBe('');
  });

  it('is not among the donors that a new member asks first', () => {
    const program = `use Galera::Writer; my %r = map { ( "db-$_" => { member => "db-$_", state => 'serving', full => '', writer => 'db-1' } ) } 0 .. 2; print join ',', Galera::Writer::donors(\\%r);`;
    expect(perl(program)).toBe('db-0,db-2');
  });

  it('has space on its disk, unless no member has', () => {
    const [first, second] = [serves(0, 'writer=db-0 full=1'), serves(1, 'writer=db-0')];
    expect(writer(first, second)).toBe('db-1');
    expect(writer(first, `${second} full=1`)).toBe('db-0');
  });
});

describe('the disk of a member', () => {
  const full = (megabytes: number, was: string): string => {
    writeFileSync(join(folder, 'df'), `#!/bin/sh\necho Avail; echo ${megabytes * 1024 * 1024}\n`, {
      mode: 0o755,
    });
    return perl(
      `$ENV{PATH} = '${folder}:' . $ENV{PATH}; use Galera::Disk; print 'full' if Galera::Disk::full('/', '${was}');`,
    );
  };

  it('is full below 64 MiB, and then up to 256 MiB', () => {
    expect(full(63, '')).toBe('full');
    expect(full(64, '')).toBe('');
    expect(full(255, '1')).toBe('full');
    expect(full(256, '1')).toBe('');
  });
});
