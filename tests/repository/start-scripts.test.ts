import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readAppSpecs } from '#definitions/deploy';
import { REPOSITORY } from '../helpers/ccp.ts';

// Start scripts of app specs, with folders of the test and its own program instead of the server.
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ccp-start-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const SPECS = readAppSpecs(REPOSITORY);

it('sets the password of the RabbitMQ administrator from the Secret on each start', () => {
  const script = String(SPECS.get('rabbitmq')!.config!['start.sh']!.layers[0]!.content).replaceAll(
    /(?<![\w$.])\/(var|run|etc|tmp|usr\/lib\/rabbitmq)\//g,
    `${folder}/$1/`,
  );
  for (const name of ['tmp', 'etc/ccp', 'usr/lib/rabbitmq/bin', 'bin'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['etc/ccp/rabbitmq.conf', 'tmp/members.conf'])
    writeFileSync(join(folder, name), `${name}\n`);
  for (const name of ['usr/lib/rabbitmq/bin/rabbitmq-server', 'bin/escript'])
    writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
  const env = {
    PATH: `${folder}/bin:/usr/bin:/bin`,
    HOME: folder,
    COOKIE: 'c',
    ADMIN_PASSWORD: 's3cret',
    RABBITMQ_NODENAME: 'rabbit@a',
  };
  const run = spawnSync('bash', ['-c', script], { encoding: 'utf8', env });
  expect(run, run.stderr).toMatchObject({ status: 0 });
  const { users } = JSON.parse(readFileSync(join(folder, 'tmp/definitions.json'), 'utf8')) as {
    users: readonly { name: string; password_hash: string }[];
  };
  const bytes = Buffer.from(users[0]!.password_hash, 'base64');
  expect(users.map(({ name }) => name)).toEqual(['admin']);
  expect(bytes.subarray(4)).toEqual(
    createHash('sha256').update(bytes.subarray(0, 4)).update('s3cret').digest(),
  );
});

it.each([
  [[], 'there are no queues\n'],
  [
    [{ vhost: 'nova', name: 'conductor', messages: 2, consumers: 1 }],
    'nova conductor messages=2 consumers=1\n',
  ],
])('describes the RabbitMQ queues %j', (queues, expected) => {
  const answer = `import io, urllib.request; urllib.request.urlopen = lambda *_, **__: io.BytesIO(${JSON.stringify(JSON.stringify(queues))}.encode())`;
  const script = String(SPECS.get('rabbitmq')!.config!['manage_queues.py']!.layers[0]!.content);
  const env = {
    PATH: '/usr/bin:/bin',
    NODES: 'rabbitmq-0',
    ADMIN_PASSWORD: 's3cret',
    VHOST: '',
    QUEUE: '',
  };
  expect(
    spawnSync('python3', ['-I', '-c', `${answer}\n${script}`, 'list'], { encoding: 'utf8', env }),
  ).toMatchObject({ stderr: '', stdout: expected });
});
