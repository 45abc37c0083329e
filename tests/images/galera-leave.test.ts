import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MODULES } from './galera-cases.ts';

// A server that serves until it is to take no more writes, and then ends; the other member is
// stopping too. The program is stopped as soon as its server serves.
const STUBS = `package Stubs;
use strict; use warnings;
use Galera::Decision; use Galera::Peers; use Galera::Position; use Galera::Server;
no warnings 'redefine';
my $end;
*Galera::Position::read_position = sub { { kind => 'empty', uuid => '', seqno => '', left => '', safe => '' } };
*Galera::Decision::decide = sub { { do => 'found', why => '' } };
*Galera::Decision::lines = sub { () };
*Galera::Peers::reports = sub { { 'db-1' => { member => 'db-1', state => 'stopping', kind => 'data', uuid => '', seqno => '' } } };
*Galera::Peers::serve = sub { $SIG{ALRM} = 'DEFAULT'; alarm 60; sleep 60 };
*Galera::Server::status = sub {
    kill 'TERM', $$ if $end;
    return { wsrep_cluster_status => 'Primary', wsrep_ready => 'ON', wsrep_local_state => 4, wsrep_local_state_uuid => 'u', wsrep_last_committed => 1 };
};
*Galera::Server::quiet = sub { close $end };
*Galera::Server::start = sub {
    pipe my $wait, $end;
    my $pid = fork;
    return $pid if $pid;
    close $end;
    readline $wait;
    exit 3;
};
1;
`;
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ccp-leave-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('ends with the code of a server that ends while its member leaves', () => {
  for (const name of ['run', 'volume/data', 'volume/removed'])
    mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, 'Stubs.pm'), STUBS);
  writeFileSync(join(folder, 'members'), 'peers = db-0.peers.x,db-1.peers.x\n');
  const text = readFileSync(join(MODULES, 'member.pl'), 'utf8')
    .replaceAll('/var/lib/mysql', join(folder, 'volume'))
    .replaceAll('/run/mysqld', join(folder, 'run'));
  writeFileSync(join(folder, 'member.pl'), text);
  const run = spawnSync(
    'perl',
    [`-I${MODULES}`, `-I${folder}`, '-MStubs', join(folder, 'member.pl')],
    {
      encoding: 'utf8',
      timeout: 30_000,
      killSignal: 'SIGKILL',
      env: {
        PATH: process.env['PATH'],
        POD_NAME: 'db-0',
        MEMBERS_FILE: join(folder, 'members'),
        ABSENCE_TIMEOUT: '0',
      },
    },
  );
  expect(run, run.stderr).toMatchObject({ status: 3, signal: null });
  expect(run.stderr.match(/(?<=galera: ).*/g)).toEqual([
    'own data: db-0 (empty)',
    'serves: ',
    'the writer is db-0',
    'leaves',
  ]);
  expect(readdirSync(join(folder, 'volume')).sort()).toEqual(['data', 'member']);
}, 60_000);
