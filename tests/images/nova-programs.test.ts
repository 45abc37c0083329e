import { describe, expect, it } from 'vitest';
import { runProgram } from './run-program.ts';

describe('nova listens.py', () => {
  const listens = (answers: Readonly<Record<string, string>>) =>
    runProgram('nova/config/listens.py', ['compute'], {
      env: {
        OS_DEFAULT__TRANSPORT_URL: 'rabbit://nova:s3cret@one:5672,nova:s3cret@two:5672/nova',
        OS_DEFAULT__HOST: 'node-1',
      },
      files: {
        'python/amqp.py': `
class AMQPError(Exception): pass
class Connection:
    def __init__(self, address, user, password, virtual_host, connect_timeout):
        assert (user, password, virtual_host) == ("nova", "s3cret", "nova")
        self.answer = ${JSON.stringify(answers)}[address]
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def channel(self): return self
    def queue_declare(self, queue, passive):
        assert (queue, passive) == ("compute.node-1", True)
        if not self.answer.isdigit(): raise AMQPError(self.answer)
        self.consumer_count = int(self.answer)
        return self
`,
      },
    });

  it.each([
    ['a consumer of the queue', { 'one:5672': '1' }, 0, '', ''],
    ['no consumer', { 'one:5672': '0' }, 1, '', 'nobody listens to compute.node-1\n'],
    [
      'a consumer on the second server',
      { 'one:5672': 'gone', 'two:5672': '1' },
      0,
      'one:5672: gone\n',
      '',
    ],
    ['no server', { 'one:5672': 'a', 'two:5672': 'b' }, 1, 'one:5672: a\ntwo:5672: b\n', ''],
  ])('with %s', (_, answers, status, stdout, stderr) => {
    expect(listens(answers)).toMatchObject({ status, stdout, stderr });
  });
});

describe('nova make-cells.sh', () => {
  const MAP_CELL0 =
    'nova-manage cell_v2 map_cell0 --database_connection {scheme}://{username}:{password}@{hostname}:{port}/{path}_cell0?{query}';
  const cells = (list: string) =>
    runProgram('nova/config/make-cells.sh', [], {
      stubs: { 'nova-manage': `case "$*" in *list_cells) echo '${list}' ;; esac` },
    });

  it('creates the cell of hosts by templates without a password', () => {
    expect(cells('| cell0 | x |')).toMatchObject({
      status: 0,
      calls: [
        MAP_CELL0,
        'nova-manage cell_v2 list_cells',
        'nova-manage cell_v2 create_cell --name cell1 --database_connection {scheme}://{username}:{password}@{hostname}:{port}/{path}?{query} --transport-url {scheme}://{username}:{password}@{hostname}:{port}/{path}',
      ],
    });
  });

  it('leaves a cell that exists', () => {
    expect(cells('| cell1 | x |')).toMatchObject({
      status: 0,
      calls: [MAP_CELL0, 'nova-manage cell_v2 list_cells'],
    });
  });
});

describe('nova purge.sh', () => {
  it.each([
    ['nothing to move and nothing to delete', 0, 3, 0],
    ['rows moved and deleted', 1, 0, 0],
    ['a failure while moving', 2, 0, 1],
    ['a failure while deleting', 1, 1, 1],
  ])('with %s', (_, archive, purge, status) => {
    const run = runProgram('nova/config/purge.sh', [], {
      env: { DAYS: '30' },
      stubs: {
        'nova-manage': `case "$*" in *archive*) exit ${archive} ;; *) exit ${purge} ;; esac`,
      },
    });
    expect(run.status).toBe(status);
  });
});
