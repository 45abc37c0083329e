import { expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

const CONF = ['b', 'a', 'c']
  .map((peer, index) => `cluster_formation.classic_config.nodes.${index + 1} = rabbit@${peer}\n`)
  .join('');
/** Ends after the calls that follow its start. */
const SERVER = '#!/bin/bash\n/bin/sleep 1\n';

/** Starts member a of three; `rabbitmqctl` answers each call by a shell text. */
const start = (rabbitmqctl: string, files: Readonly<Record<string, string>> = {}) => {
  const { stdout, calls } = runProgram('rabbitmq/config/start.sh', [], {
    env: { COOKIE: 'c', ADMIN_PASSWORD: 's3cret', RABBITMQ_NODENAME: 'rabbit@a' },
    files: {
      'etc/ccp/rabbitmq.conf': '',
      'etc/ccp/members/members.conf': CONF,
      'usr/lib/rabbitmq/bin/rabbitmq-server': SERVER,
      'usr/lib/rabbitmq/lib/rabbitmq_server-4.0.5/version': '',
      ...files,
    },
    stubs: { rabbitmqctl, 'rabbitmq-queues': 'exit 0' },
  });
  return { lines: stdout.split('\n').filter(Boolean), calls };
};
const members = (peer: string): string =>
  `rabbitmqctl --quiet --node rabbit@${peer} eval rabbit_nodes:list_members().`;
const KNOWS = `case "$*" in *eval*) echo "['rabbit@a','rabbit@b','rabbit@c']" ;; esac`;

it('lets a running member forget one without data, which joins again and gets its replicas', () => {
  const { lines, calls } = start(KNOWS);
  expect(lines).toEqual([
    'this member has no data, but rabbit@b knows it: it is forgotten and joins again',
  ]);
  expect(calls).toEqual([
    members('b'),
    'rabbitmqctl --quiet --node rabbit@b forget_cluster_node rabbit@a',
    'rabbitmqctl --quiet await_startup',
    'rabbitmq-queues --quiet grow rabbit@a all',
  ]);
});

it('asks the next member if one does not answer, and forgets none in a first installation', () => {
  const { lines, calls } = start(`case "$*" in *@b*) exit 69 ;; *) echo "['rabbit@c']" ;; esac`);
  expect(lines).toEqual([]);
  expect(calls).toEqual([members('b'), members('c')]);
});

it.each([
  ['data', 'mnesia-4.0'],
  ['data of another version, since the series changes', 'mnesia-3.10'],
])('asks no member if it has %s', (_, folder) => {
  const { calls } = start(KNOWS, { [`var/lib/rabbitmq/${folder}/rabbit@a/schema.DAT`]: '' });
  expect(calls).toEqual([]);
});
