import { describe, expect, it } from 'vitest';
import { data, decide, empty, THREE, U, V } from './galera-cases.ts';

const waits = (ordinal: number, founder: number, why: string): string =>
  `db-${ordinal}: wait db-${founder} | ${why}`;

describe('the member that bootstraps a Galera cluster', () => {
  it('is the first one if no database ever existed', () => {
    const why = 'first start: no member has data';
    expect(decide(THREE, empty(0), empty(1), empty(2))).toEqual([
      `db-0: found db-0 | ${why}`,
      waits(1, 0, why),
      waits(2, 0, why),
    ]);
  });

  it('waits for the answers of all members on a first start', () => {
    expect(decide(THREE, empty(0), empty(1))[0]).toBe(
      'db-0: wait - | no member that answered has data; waits for an answer of db-2',
    );
  });

  it('refuses to bootstrap an empty database if one existed', () => {
    expect(decide(THREE, 'set founded 2026-01-31', empty(0), empty(1), empty(2))[0]).toBe(
      'db-0: refuse - | a database was here (2026-01-31), and no member has its data',
    );
  });

  it('refuses if the only data comes from an interrupted transfer', () => {
    expect(decide(THREE, empty(0, { kind: 'incomplete' }), empty(1), empty(2))[1]).toBe(
      'db-1: refuse - | no member has whole data; a transfer to db-0 was broken off',
    );
  });

  it('has the highest position, and the lowest ordinal among equals', () => {
    const why = 'db-1 has the highest position, 100';
    expect(decide(THREE, data(0, 99), data(1, 100), data(2, 100))).toEqual([
      waits(0, 1, why),
      `db-1: found db-1 | ${why}`,
      waits(2, 1, why),
    ]);
  });

  it('does not believe safe_to_bootstrap', () => {
    expect(decide(THREE, data(0, 99, { safe: 1 }), data(1, 100), data(2, 100))[1]).toMatch(
      /^db-1: found db-1 /,
    );
  });

  it('bootstraps again after an orderly stop of all members together', () => {
    expect(
      decide(
        THREE,
        data(0, 100, { left: 1 }),
        data(1, 100, { left: 1 }),
        data(2, 100, { left: 1 }),
      ),
    ).toEqual([
      'db-0: found db-0 | db-0 has the highest position, 100',
      waits(1, 0, 'db-0 has the highest position, 100'),
      waits(2, 0, 'db-0 has the highest position, 100'),
    ]);
  });

  it.each([0, 1, 2])('is never the one whose volume was lost: %i', (lost) => {
    const reports = [0, 1, 2].map((each) => (each === lost ? empty(each) : data(each, 100)));
    const founder = lost === 0 ? 1 : 0;
    expect(decide(THREE, ...reports)[lost]).toBe(
      `db-${lost}: wait db-${founder} | db-${founder} has the highest position, 100 | transactions after 100 that only db-${lost} could have had: its data is gone`,
    );
    expect(decide(THREE, ...reports)[founder]).toMatch(`db-${founder}: found db-${founder} `);
  });

  it('bootstraps with the only volume left of three', () => {
    expect(
      decide(THREE, empty(0), empty(1), data(2, 100)).map((each) => each.split(' | ')[0]),
    ).toEqual(['db-0: wait db-2', 'db-1: wait db-2', 'db-2: found db-2']);
  });

  it('waits for a member that does not answer, but not if a majority was killed', () => {
    expect(decide(THREE, data(0, 100), data(1, 99))[0]).toBe(
      'db-0: wait db-0 | waits for db-2: db-0 founds without db-2 in 300 s | transactions after 100 that only db-2 could have',
    );
    expect(decide(THREE, 'set waited 300', data(0, 100), data(1, 99))).toEqual([
      'db-0: found db-0 | db-0 has the highest position, 100 | transactions after 100 that only db-2 could have',
      'db-1: wait db-0 | db-0 has the highest position, 100 | transactions after 100 that only db-2 could have',
    ]);
  });

  it.each([
    ['a minority', [data(0, 100)], 'db-1, db-2'],
    ['members that left in order', [data(0, 100, { left: 1 }), data(1, 100, { left: 1 })], 'db-2'],
    [
      'members of an earlier view',
      [data(0, 100), data(1, 120, { view: '1,2', view_seqno: 110, left: 1 })],
      'db-2',
    ],
  ])('waits for ever if %s remains', (_, reports, silent) => {
    expect(decide(THREE, 'set waited 9999', ...reports)[0]).toContain(
      ` may have gone on alone | transactions after`,
    );
    expect(decide(THREE, 'set waited 9999', ...reports)[0]).toContain(`waits for ${silent}: `);
  });

  it('needs only the members of the last view', () => {
    const last = [data(0, 100, { left: 1 }), data(1, 130, { left: 1, view: '1', view_seqno: 130 })];
    expect(decide(THREE, ...last)[1]).toBe('db-1: wait db-1 | waits for db-2: db-1 founds in 10 s');
    expect(decide(THREE, 'set waited 10', ...last)[1]).toBe(
      'db-1: found db-1 | db-1 has the highest position, 130',
    );
  });

  it('needs only a majority of the members that stopped together and accepted no more writes', () => {
    const quiet = { left: 1, quiet: 'db-0,db-1,db-2' } as const;
    const two = [data(1, 101, { ...quiet, view: '0,1', view_seqno: 101 }), data(2, 100, quiet)];
    expect(decide(THREE, 'set waited 9', ...two)[0]).toBe(
      'db-1: wait db-1 | waits for db-0: db-1 founds in 1 s',
    );
    expect(decide(THREE, 'set waited 10', ...two)[0]).toBe(
      'db-1: found db-1 | db-1 has the highest position, 101',
    );
    expect(decide(THREE, 'set waited 9999', two[0]!)[0]).toContain(' may have gone on alone');
  });

  it('does not wait for members that wait to join', () => {
    const joining = { state: 'joining' } as const;
    expect(
      decide(
        THREE,
        data(0, 100, joining),
        data(1, 100, joining),
        data(2, 100, { state: 'running' }),
      )[2],
    ).toBe('db-2: found db-2 | db-2 has the highest position, 100');
  });

  it('needs all members if none knows a view', () => {
    const bare = { view_seqno: 0 } as const;
    const without = (text: string): string => text.replace(/ view=\S+/, '');
    expect(
      decide(THREE, 'set waited 9999', without(data(0, 9, bare)), without(data(1, 9, bare)))[0],
    ).toBe(
      'db-0: wait db-0 | waits for db-2: no member knows the last view, so an answer of every member is needed | transactions after 9 that only db-2 could have',
    );
  });

  it('bootstraps immediately on a site with one member whose last view had only itself', () => {
    expect(decide('members db-0', data(0, 100, { view: '0' }))).toEqual([
      'db-0: found db-0 | db-0 has the highest position, 100',
    ]);
  });

  it('does not bootstrap with one of three members of another site', () => {
    expect(decide('members db-0', 'set waited 9999', data(0, 100))[0]).toBe(
      'db-0: wait db-0 | waits for db-1, db-2: of the last view (db-0, db-1, db-2) db-1, db-2 may have gone on alone | transactions after 100 that only db-1 could have | transactions after 100 that only db-2 could have',
    );
  });

  it('refuses data of two clusters, and shows both', () => {
    expect(decide(THREE, data(0, 100), data(1, 700, { uuid: V }), empty(2))[2]).toBe(
      `db-2: refuse - | the data is of different clusters: db-0 (${U}:100); db-1 (${V}:700)`,
    );
  });

  it('waits for a member that still reads its position', () => {
    expect(
      decide(
        THREE,
        'set waited 9999',
        data(0, 100),
        data(1, 100),
        empty(2, { state: 'reading', kind: 'unknown' }),
      )[0],
    ).toBe('db-0: wait db-0 | waits for db-2: what they are is not settled');
  });

  it('is the member that still runs after the others were killed', () => {
    expect(decide(THREE, data(0, 100), data(1, 100), data(2, 100, { state: 'running' }))[2]).toBe(
      'db-2: found db-2 | db-2 has the highest position, 100',
    );
  });
});
