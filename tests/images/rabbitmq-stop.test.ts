import { expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

// The server asks its parent to stop once that has its handler of SIGTERM, signal 15 of those it
// catches.
const SERVER = `#!/bin/bash
trap 'echo the server stops; exit 0' TERM
until (( 0x$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$PPID/status) & 0x4000 )); do sleep 0.05; done
kill -TERM $PPID
for (( i = 0; i < 600; i++ )); do sleep 0.05; done
`;

const stop = (diagnostics: string, stubs: Readonly<Record<string, string>> = {}) => {
  const { stdout, calls } = runProgram('rabbitmq/config/start.sh', [], {
    env: { COOKIE: 'c', ADMIN_PASSWORD: 's3cret', RABBITMQ_NODENAME: 'rabbit@a' },
    files: {
      'etc/ccp/rabbitmq.conf': '',
      'tmp/members.conf': '',
      'usr/lib/rabbitmq/bin/rabbitmq-server': SERVER,
    },
    stubs: {
      sleep: 'exec /bin/sleep 0.05',
      escript: 'exit 0',
      rabbitmqctl: 'echo false',
      'rabbitmq-diagnostics': diagnostics,
      ...stubs,
    },
  });
  const asked = calls.filter((call) => !/^(sleep|escript)/.test(call));
  return { lines: stdout.split('\n').filter(Boolean), asked };
};
const CRITICAL = 'rabbitmq-diagnostics --quiet check_if_node_is_quorum_critical';
const RUNNING = 'rabbitmq-diagnostics --quiet check_running';

it('stops a member that does not run after two answers that it does not', () => {
  const { lines, asked } = stop('echo it boots; exit 69');
  expect(lines).toEqual(['waits to stop: it does not run', 'the server stops']);
  expect(asked).toEqual([RUNNING, RUNNING]);
});

it('stops a member that hangs, since each call has a time limit', () => {
  const { lines, asked } = stop('exec /bin/sleep 60', { timeout: 'exit 124' });
  expect(lines).toEqual(['waits to stop: it does not run', 'the server stops']);
  const call = `timeout --kill-after=5 20 ${RUNNING}`;
  expect(asked).toEqual([call, call]);
});

it('waits while a queue would lose its majority, also after one answer that was lost', () => {
  // Answers 2 and 4 are lost.
  const { lines, asked } = stop(`
case "$*" in
  *check_running) echo >>"$HOME/asked"; case $(wc -l <"$HOME/asked") in 2|4) exit 69 ;; esac ;;
  *) if [ "$(wc -l <"$HOME/asked")" -lt 5 ]; then echo critical; exit 69; fi ;;
esac`);
  const critical = 'waits to stop: critical';
  const lost = 'waits to stop: it does not run';
  expect(lines).toEqual([critical, lost, critical, lost, 'the server stops']);
  expect(asked.filter((call) => call === CRITICAL)).toHaveLength(3);
  expect(asked.filter((call) => call === RUNNING)).toHaveLength(5);
});

it('stops immediately if all members stop', () => {
  const { lines, asked } = stop('exit 0', { rabbitmqctl: 'echo true' });
  expect(lines).toEqual(['the server stops']);
  expect(asked).toEqual([RUNNING, expect.stringMatching(/^rabbitmqctl --quiet eval /)]);
});
