import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectEngine } from '#engines';
import { parseImageSet } from '#release';
import { serveStore } from '#store';
import { buildImages } from '../helpers/build-images.ts';
import { REPOSITORY } from '../helpers/ccp.ts';

// Members a@h1, a@h2 and a@h3 in short: 1, 2 and 3.
const ALL = '[1,2,3]';
/** A member with data of all three, whose tables are not loaded; `seen` ran when it last served. */
const data = (seen = ALL): string => `{data,${ALL},${seen},loading}`;
const SERVES = `{serves,${ALL}}`;

/** The first word: data of the arriving member 1, or `watch`; states of 1 (`watch` only), 2, 3. */
const ROWS: readonly (readonly [string, string, readonly string[], number, string])[] = [
  ['a first installation: the first member founds', 'empty', ['empty', 'empty'], 0, 'found'],
  [
    'one may have data',
    'empty',
    ['empty', 'silent'],
    999,
    '{wait,"this member has no data; h3 may have some and gives no answer"}',
  ],
  [
    'one has data',
    'empty',
    ['empty', data()],
    999,
    '{wait,"this member has no data; h3 had a cluster with data and must serve first"}',
  ],
  [
    'a cluster serves that does not know it',
    'empty',
    ['silent', '{serves,[2,3]}'],
    0,
    '{join,[3]}',
  ],
  ['a cluster serves that knows it', 'empty', [SERVES, 'silent'], 0, '{forget,2}'],
  ['the founder starts', 'empty', ['fresh', 'empty'], 0, '{wait,"h2 starts"}'],
  [
    'another series serves',
    'other',
    [SERVES, SERVES],
    0,
    '{wait,"h2 serves a cluster of another version"}',
  ],
  ['a new series', 'other', ['other', 'empty'], 0, 'found'],
  [
    'a new series without one',
    'other',
    ['other', 'silent'],
    59,
    '{wait,"this member has no data; h3 may have some and gives no answer"}',
  ],
  ['a new series without one for long', 'other', ['other', 'silent'], 60, 'found'],
  ['its cluster waits', 'data', [data(), data()], 0, 'start'],
  ['its cluster serves', 'data', [SERVES, 'silent'], 0, 'start'],
  ['its cluster forgot it', 'data', ['{serves,[2,3]}', 'silent'], 0, 'aside'],
  [
    'all wait for each other',
    'watch',
    [data(), data(), data()],
    59,
    '{wait,"waits for the tables of other members; all have data"}',
  ],
  ['all wait for too long', 'watch', [data(), data(), data()], 60, '{load,"all have data"}'],
  ['one lost its data', 'watch', [data(), data(), 'empty'], 5, '{load,"h3 lost their data"}'],
  [
    'one does not come',
    'watch',
    [data(), 'silent', data()],
    59,
    '{wait,"waits for the tables of other members; h2 gives no answer"}',
  ],
  [
    'one does not come for long',
    'watch',
    [data(), 'silent', data()],
    60,
    '{load,"h2 gives no answer"}',
  ],
  [
    'another served last',
    'watch',
    [data(), data('[2,3]'), 'empty'],
    60,
    '{wait,"h2 loads its tables first"}',
  ],
  [
    'it served last',
    'watch',
    [data('[1,2]'), data('[1,2]'), 'empty'],
    60,
    '{load,"h3 lost their data"}',
  ],
  [
    'a cut: the side that saw more',
    'watch',
    [data('[1]'), data('[2,3]'), 'empty'],
    60,
    '{wait,"h2 loads its tables first"}',
  ],
  [
    'two lost their data',
    'watch',
    [data(), 'empty', 'empty'],
    999,
    '{wait,"h2, h3 lost their data; 1 of 3 volumes have data, not a majority: start the missing members, or run the action recover of this app"}',
  ],
  [
    'others start',
    'watch',
    [data(), 'starting', 'empty'],
    59,
    '{wait,"waits for the tables of other members; h3 lost their data and h2 gives no answer"}',
  ],
  ['another serves', 'watch', [data(), SERVES, 'empty'], 999, 'idle'],
  ['the members to join are gone', 'watch', ['fresh', 'silent', data()], 60, 'restart'],
];

/** Names of members in place of their numbers. */
const named = (text: string): string => text.replaceAll(/(?<=[[,{])([123])(?=[\],}])/g, 'a@h$1');

it('decides by the volumes of all members', async () => {
  const series = process.env['CCP_TEST_SERIES'] ?? '2026.1';
  await buildImages(series, 'rabbitmq');
  const set = readFileSync(join(REPOSITORY, '.ccp/sets', `${series}.json`), 'utf8');
  const { digest } = parseImageSet(set, 'the image set').images.find(
    ({ name }) => name === 'rabbitmq',
  )!;
  const store = await serveStore({ folder: join(REPOSITORY, '.ccp/store') });
  try {
    const engine = await connectEngine(process.env['CCP_ENGINE'] ?? '');
    const terms = ROWS.map(([, holds, states, waited]) => {
      const first = holds === 'watch' ? 1 : 2;
      const others = states.map((state, at) => `{${first + at},${state}}`).join(',');
      return `{${holds},1,${ALL},[${others}],${waited}}`;
    });
    const { stdout, stderr } = await engine.run({
      image: `${store.address}/rabbitmq@${digest}`,
      entrypoint: ['escript', '/etc/ccp/member.escript', 'decide'],
      command: terms.map(named),
      env: { HOME: '/tmp' },
      network: 'none',
      binds: [
        { source: join(REPOSITORY, 'images/rabbitmq/config'), target: '/etc/ccp', readOnly: true },
      ],
    });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual(ROWS.map(([, , , , decision]) => named(decision)));
  } finally {
    await store.close();
  }
});
