import { describe, expect, it } from 'vitest';
import { data, decide, empty, THREE, U, V } from './galera-cases.ts';

describe('who joins a Galera cluster that serves', () => {
  const serves = data(1, 200, { state: 'serving' });

  it('joins with nothing, with a part of a transfer, and with data of the same cluster', () => {
    expect(
      decide(THREE, serves, empty(0), empty(2, { kind: 'incomplete' })).map(
        (each) => each.split(' | ')[0],
      ),
    ).toEqual(['db-0: join db-1', expect.anything(), 'db-2: join db-1']);
    expect(decide(THREE, serves, data(0, 150))[0]).toBe('db-0: join db-1 | db-1 serves');
  });

  it('sets aside data that the serving members do not have', () => {
    expect(decide(THREE, serves, data(0, 201))[0]).toBe(
      'db-0: join db-1 aside | db-1 serves | transactions 200 to 201 that only db-0 has',
    );
  });

  it('sets aside data that it wrote after the others continued without it', () => {
    const forked = data(1, 200, { state: 'serving', forks: '100@1700000000' });
    expect(decide(THREE, forked, data(0, 105))[0]).toBe(
      'db-0: join db-1 aside | db-1 serves | transactions 100 to 105 that only db-0 has',
    );
    expect(decide(THREE, forked, data(0, 100))[0]).toBe('db-0: join db-1 | db-1 serves');
    expect(decide(THREE, forked, data(0, 150, { forks: '100@1700000000' }))[0]).toBe(
      'db-0: join db-1 | db-1 serves',
    );
  });

  it('refuses to give up data of another cluster unless a person decided so', () => {
    const other = data(0, 900, { uuid: V });
    expect(decide(THREE, serves, other)[0]).toBe(
      `db-0: refuse - | another cluster serves: db-1 (${U}:200); the own data is db-0 (${V}:900)`,
    );
    expect(
      decide(THREE, `order founder=db-1 uuid=${U} seqno=100 lose=db-0@${V}:900`, serves, other)[0],
    ).toBe(`db-0: join db-1 aside | db-1 serves | all rows of db-0 (${V}:900)`);
  });

  it('refuses if two clusters serve', () => {
    expect(decide(THREE, serves, data(2, 5, { state: 'serving', uuid: V }), empty(0))[0]).toBe(
      `db-0: refuse - | two clusters serve: db-1 (${U}:200); db-2 (${V}:5)`,
    );
  });
});

describe('a decision of a person', () => {
  const order = `order founder=db-1 uuid=${U} seqno=100`;

  it('has the named member found, and the others wait for it', () => {
    expect(decide(THREE, order, data(0, 150, { uuid: V }), data(1, 100))).toEqual([
      "db-0: wait db-1 | db-1 founds by a person's decision",
      "db-1: found db-1 | a person's decision",
    ]);
  });

  it('applies only to the position that the operator saw', () => {
    expect(decide(THREE, order, data(0, 150), data(1, 120))[1]).toBe(
      `db-1: refuse - | the decision was made for ${U}:100, the own data is db-1 (${U}:120)`,
    );
  });
});
