import { describe, expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

describe('ovn database.sh', () => {
  const NOBODY = '[{"rows":[{"cid":["set",[]]}]}]';
  const FOUNDED = '[{"rows":[{"cid":["uuid","1c2d"]}]}]';
  const start = (pod: string, answer: string, files: Readonly<Record<string, string>> = {}) =>
    runProgram('ovn/config/database.sh', [], {
      env: {
        DATABASE: 'OVN_Northbound',
        SCHEMA: '/schema',
        POD_NAME: pod,
        DOMAIN: 'peers',
        PEERS: 'nb-0.peers,nb-1.peers',
        CLIENT_PORT: '6641',
        CLUSTER_PORT: '6643',
        ELECTION_TIMER: '4000',
      },
      stubs: {
        'ovsdb-client': `echo '${answer}'`,
        'ovsdb-tool': 'case "$1 $2" in *create-cluster*) touch "$3" ;; *) touch "$2" ;; esac',
        'ovsdb-server': 'exit 0',
      },
      files,
    }).calls.filter((call) => call.startsWith('ovsdb-tool'));
  const CREATE =
    'ovsdb-tool --election-timer=4000 create-cluster /var/lib/ovn/OVN_Northbound.db.new /schema tcp:nb-0.peers:6643';
  const join = (own: number, other: number): string =>
    `ovsdb-tool join-cluster /var/lib/ovn/OVN_Northbound.db.new OVN_Northbound tcp:nb-${own}.peers:6643 tcp:nb-${other}.peers:6643`;

  it.each([
    ['the first member founds where nobody has a cluster', 'nb-0', NOBODY, [CREATE]],
    ['the first member joins a cluster that exists', 'nb-0', FOUNDED, [join(0, 1)]],
    ['another member never founds', 'nb-1', NOBODY, [join(1, 0)]],
  ] as const)('%s', (_, pod, answer, calls) => {
    expect(start(pod, answer)).toEqual(calls);
  });

  it('serves the copy that it has', () => {
    expect(start('nb-0', NOBODY, { 'var/lib/ovn/OVN_Northbound.db': '' })).toEqual([]);
  });

  it('joins again after it has left', () => {
    const left = { 'var/lib/ovn/OVN_Northbound.db': '', 'var/lib/ovn/OVN_Northbound.db.left': '' };
    expect(start('nb-1', FOUNDED, left)).toEqual([join(1, 0)]);
  });
});

describe('rabbitmq members.py forget', () => {
  const forget = (queues: object[], { alive = true, running = ['a', 'b'] } = {}) =>
    runProgram('rabbitmq/config/members.py', ['forget'], {
      env: { NODES: 'a', COOKIE: 'cookie' },
      stubs: {
        rabbitmqctl: `case "$*" in
  *cluster_status*) echo '${JSON.stringify({ disk_nodes: ['rabbit@a', 'rabbit@b'], running_nodes: running.map((each) => `rabbit@${each}`) })}' ;;
  *list_vhosts*) echo '[{"name":"nova"}]' ;;
  *list_queues*) echo '${JSON.stringify(queues)}' ;;
  *ping*) exit ${alive ? 0 : 1} ;;
esac`,
        'rabbitmq-queues': '',
      },
    });
  const doing = (calls: readonly string[]): string[] =>
    calls
      .map((call) => call.replace('--longnames --quiet --node ', ''))
      .filter((call) => !/cluster_status|list_|ping|eval/.test(call));
  const queue = { name: 'q', type: 'classic', durable: true, messages: 2 };

  it('removes a running member from its queues first', () => {
    const { status, stdout, calls } = forget([{ ...queue, messages: 0 }]);
    expect([status, stdout]).toEqual([0, 'b has left\n']);
    expect(doing(calls)).toEqual([
      'rabbitmq-queues rabbit@a shrink rabbit@b',
      'rabbitmqctl rabbit@b stop_app',
      'rabbitmqctl rabbit@b reset',
    ]);
  });

  it('refuses to lose messages that no other member has', () => {
    const { status, stderr, calls } = forget([queue]);
    expect([status, stderr]).toEqual([
      1,
      'b has messages that would be lost: 2 in q of nova; wait until they are taken, or run the action purge-queue\n',
    ]);
    expect(doing(calls)).toEqual([]);
  });

  it('forgets a member that does not answer', () => {
    const { status, calls } = forget([], { alive: false, running: ['a'] });
    expect(status).toBe(0);
    expect(doing(calls)).toEqual(['rabbitmqctl rabbit@a forget_cluster_node rabbit@b']);
  });
});
