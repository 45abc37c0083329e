import { expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

/** Ends after the calls that follow its start. */
const SERVER = '#!/bin/bash\n/bin/sleep 1\n';
/** Starts member a of three; `arrive` is the shell text of its decision. */
const start = (arrive: string, files: Readonly<Record<string, string>> = {}) => {
  const { status, calls } = runProgram('rabbitmq/config/start.sh', [], {
    env: { COOKIE: 'c', ADMIN_PASSWORD: 's3cret', RABBITMQ_NODENAME: 'rabbit@a' },
    files: {
      'etc/ccp/rabbitmq.conf': '',
      'usr/lib/rabbitmq/bin/rabbitmq-server': SERVER,
      'usr/lib/rabbitmq/lib/rabbitmq_server-4.0.5/version': '',
      ...files,
    },
    stubs: {
      escript: `tmp=\${0%/bin/*}/tmp; if [ "$2" = arrive ]; then ${arrive}; fi`,
      rabbitmqctl: 'exit 0',
      'rabbitmq-queues': 'exit 0',
    },
  });
  return { status, calls };
};
const arrive = (holds: string): string => `escript /etc/ccp/member.escript arrive ${holds}`;
const FOUND = 'echo nodes >"$tmp/members.conf"';

it('gives queues their replicas again on a member that was forgotten and joins', () => {
  const { status, calls } = start(`${FOUND}; echo >"$tmp/forgotten"`);
  expect(status).toBe(0);
  expect(calls[0]).toBe(arrive('empty'));
  expect(calls.slice(1).toSorted()).toEqual([
    'escript /etc/ccp/member.escript watch',
    'rabbitmq-queues --quiet grow rabbit@a all',
    'rabbitmqctl --quiet await_startup',
  ]);
});

it.each([
  ['empty', {}],
  ['empty', { 'mnesia-4.0/rabbit@a/cluster_nodes.config': '' }],
  ['data', { 'mnesia-4.0/rabbit@a/schema.DAT': '', 'mnesia-3.10/rabbit@a/schema.DAT': '' }],
  ['other', { 'mnesia-3.10/rabbit@a/schema.DAT': '' }],
])('decides as a member that has %s data, with files %j', (holds, files) => {
  const { calls } = start(
    FOUND,
    Object.fromEntries(Object.entries(files).map(([name]) => [`var/lib/rabbitmq/${name}`, ''])),
  );
  expect(calls).toEqual([arrive(holds), 'escript /etc/ccp/member.escript watch']);
});

it('starts no server if the decision fails', () => {
  expect(start('exit 3')).toEqual({ status: 3, calls: [arrive('empty')] });
});
