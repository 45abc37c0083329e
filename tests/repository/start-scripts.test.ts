import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readAppSpecs } from '#definitions/deploy';
import { REPOSITORY } from '../support/ccp.ts';

// Start scripts of app specs, with their folders moved to one of the test's and a program of its own in the place of the server.
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ccp-start-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Milliseconds that a script may take; one of them waits on purpose. */
const PATIENCE = 3000;
const SPECS = readAppSpecs(REPOSITORY);

/** Runs the script of an app; the arguments that its server was started with. Raises where it waits. */
function start(app: string, env: Readonly<Record<string, string>>, server: string): readonly string[] {
  const script = String(SPECS.get(app)!.config!['start.sh']!.layers[0]!.content).replaceAll(
    /(?<![\w$.])\/(var|run|etc|tmp|usr\/lib\/rabbitmq)\//g,
    `${folder}/$1/`,
  );
  for (const name of ['tmp', 'run/mysqld', 'etc/ccp', 'bin', 'usr/lib/rabbitmq/bin', 'var/lib/mysql/data/mysql'])
    mkdirSync(join(folder, name), { recursive: true });
  const program = join(folder, server);
  writeFileSync(
    program,
    `#!/bin/sh\ncase "$*" in *--wsrep-recover*) echo "WSREP: Recovered position: $POSITION" >${folder}/tmp/recover.log; exit ;; esac\nprintf '%s\\n' "$@" >${folder}/started\n`,
    { mode: 0o755 },
  );
  const run = spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
    env: { PATH: `${folder}/bin:/usr/bin:/bin`, HOME: folder, ...env },
  });
  if (run.signal !== null) throw new Error(`${app} still waits`);
  expect(run, run.stderr).toMatchObject({ status: 0 });
  return readFileSync(join(folder, 'started'), 'utf8').split('\n');
}

describe('mariadb', () => {
  const position = '8cd6274c-0000-0000-0000-000000000000:7';
  const node = (replicas: number, ordinal: number, POSITION = position) =>
    start(
      'mariadb',
      { ROOT_PASSWORD: 'secret', REPLICAS: String(replicas), PEERS: '', POD_NAME: `mariadb-${ordinal}`, POD_IP: '10.0.0.1', POSITION },
      'bin/mariadbd',
    ).includes('--wsrep-new-cluster');
  const state = (file: string): string => join(folder, 'var/lib/mysql/data', file);
  const left = (safe: 0 | 1): void => {
    mkdirSync(state(''), { recursive: true });
    writeFileSync(state('grastate.dat'), `uuid: x\nsafe_to_bootstrap: ${safe}\n`);
    writeFileSync(state('gvwstate.dat'), 'a view of three\n');
  };

  it('alone is a cluster that others can join, however it ended', () => {
    left(0);
    expect(node(1, 0)).toBe(true);
    expect(readFileSync(state('grastate.dat'), 'utf8')).toContain('safe_to_bootstrap: 1');
    expect(existsSync(state('gvwstate.dat'))).toBe(false);
  });

  it.each([
    ['the first of three new ones founds', 0, '00000000-0000-0000-0000-000000000000:-1', undefined, true],
    ['the last to leave founds', 2, position, 1, true],
    ['one that did not leave last waits, and keeps its view', 0, position, 0, false],
  ] as const)('%s', (_, ordinal, at, safe, founds) => {
    if (safe !== undefined) left(safe);
    expect(node(3, ordinal, at)).toBe(founds);
    expect(existsSync(state('gvwstate.dat'))).toBe(safe !== undefined);
  });

  it('one of three without a view to restore waits for one that serves, before it asks for addresses', () => {
    expect(() => node(3, 1, '00000000-0000-0000-0000-000000000000:-1')).toThrow('still waits');
  });
});

it('rabbitmq sets the administrator to the password of the Secret at every start', () => {
  start('rabbitmq', { COOKIE: 'c', ADMIN_PASSWORD: 's3cret' }, 'usr/lib/rabbitmq/bin/rabbitmq-server');
  const { users } = JSON.parse(readFileSync(join(folder, 'tmp/definitions.json'), 'utf8')) as { users: readonly { name: string; password_hash: string }[] };
  const bytes = Buffer.from(users[0]!.password_hash, 'base64');
  expect(users.map(({ name }) => name)).toEqual(['admin']);
  expect(bytes.subarray(4)).toEqual(createHash('sha256').update(bytes.subarray(0, 4)).update('s3cret').digest());
});

it.each([
  [[], 'there are no queues\n'],
  [[{ vhost: 'nova', name: 'conductor', messages: 2, consumers: 1 }], 'nova conductor messages=2 consumers=1\n'],
])('rabbitmq lists queues, %j, in words', (queues, expected) => {
  const answer = `import io, urllib.request; urllib.request.urlopen = lambda *_, **__: io.BytesIO(${JSON.stringify(JSON.stringify(queues))}.encode())`;
  const script = String(SPECS.get('rabbitmq')!.config!['manage_queues.py']!.layers[0]!.content);
  const env = { PATH: '/usr/bin:/bin', NODES: 'rabbitmq-0', ADMIN_PASSWORD: 's3cret', VHOST: '', QUEUE: '' };
  expect(spawnSync('python3', ['-I', '-c', `${answer}\n${script}`, 'list'], { encoding: 'utf8', env })).toMatchObject({ stderr: '', stdout: expected });
});
