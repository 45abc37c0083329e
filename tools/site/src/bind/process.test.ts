import { describe, expect, it } from 'vitest';
import { escapeExpansion } from '../model/expansion.ts';
import { parseTemplate } from '../model/template.ts';
import { findingsOf } from './checked.ts';
import type { Scope } from './facts.ts';
import { bindProcess, type Process } from './process.ts';

const at = { file: 'app.yaml', line: 1 };
const scope: Scope = {
  facts: new Map([
    ['host', [{ text: 'db' }]],
    ['price', [{ text: '$(HOME) costs 5$' }]],
    ['password', [{ secret: { name: 'web-db', key: 'password' } }]],
    ['one', [{ secret: { name: 'a-b', key: 'c' } }]],
    ['other', [{ secret: { name: 'a', key: 'b-c' } }]],
    ['pod', [{ field: 'metadata.name' as const }]],
  ]),
  absent: new Set(),
};
const bound = (command: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  bindProcess({ command, env }, scope, () => at);
const processOf = (...of: Parameters<typeof bound>): Process => {
  const found = bound(...of);
  if ('findings' in found) throw new Error(found.findings.join());
  return found.value;
};

describe('parseTemplate', () => {
  it.each([
    ['plain', [{ text: 'plain' }]],
    ['', [{ text: '' }]],
    ['a${ b }c', [{ text: 'a' }, { reference: 'b' }, { text: 'c' }]],
    ['$${a} $a ${', [{ text: '${a} $a ${' }]],
  ])('splits %j', (text, pieces) => {
    expect(parseTemplate(text)).toEqual(pieces);
  });
});

describe('bindProcess', () => {
  it('passes a whole value by reference, and a secret inside a text by a helper variable before it', () => {
    const from = { secretKeyRef: { name: 'web-db', key: 'password' } };
    expect(
      processOf(['serve'], { URL: 'sql://u:${password}@${host}', PASSWORD: '${password}' }).env,
    ).toEqual([
      { name: 'CCP_WEB_DB_PASSWORD_B8796FD0', valueFrom: from },
      { name: 'PASSWORD', valueFrom: from },
      { name: 'URL', value: 'sql://u:$(CCP_WEB_DB_PASSWORD_B8796FD0)@db' },
    ]);
  });

  it('distinguishes secrets whose upper-case names are equal', () => {
    const { env } = processOf(['serve'], { URL: 'x:${one}:${other}' });
    expect(env.slice(0, 2).map((each) => 'valueFrom' in each && each.valueFrom)).toEqual([
      { secretKeyRef: { name: 'a-b', key: 'c' } },
      { secretKeyRef: { name: 'a', key: 'b-c' } },
    ]);
    expect(new Set(env.map(({ name }) => name)).size).toBe(3);
  });

  it('passes a field of the pod to the command', () => {
    expect(processOf(['serve', '--name=${pod}'])).toEqual({
      env: [{ name: 'CCP_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      command: ['serve', '--name=$(CCP_POD_NAME)'],
    });
  });

  it('escapes values that look like a reference to another variable', () => {
    expect(processOf(['echo', '${price}${pod}'], { A: '${price}' })).toMatchObject({
      command: ['echo', '$$(HOME) costs 5$$$(CCP_POD_NAME)'],
      env: [{ name: 'CCP_POD_NAME' }, { name: 'A', value: '$$(HOME) costs 5$' }],
    });
  });

  it.each([
    ['secret-in-command', bound(['login', '${password}'])],
    ['env-reserved', bound(['serve'], { CCP_MODE: 'x' })],
    ['reference-unknown', bound(['serve'], { A: '${hots}' })],
  ])('refuses %s', (code, found) => {
    expect(findingsOf(found)).toEqual([expect.objectContaining({ code, at })]);
  });
});

it.each(['$(A)', '$$', '$$(A)', '$$$(A)$', 'cost: $5', '${A}'])(
  'what is escaped expands to itself: %s',
  (text) => {
    // Kubernetes' expansion: `$$` is `$`, and `$(NAME)` the variable.
    const expanded = escapeExpansion(text).replace(/\$\$|\$\([^)]*\)/g, (found) =>
      found === '$$' ? '$' : 'EXPANDED',
    );
    expect(expanded).toBe(text);
  },
);
