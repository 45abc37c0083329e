import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { messageOf } from '#core';
import { givenValues } from './given-values.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-values-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const messageFrom = (files: readonly string[], settings: readonly string[]): string => {
  try {
    return JSON.stringify(givenValues(files, settings));
  } catch (thrown) {
    return messageOf(thrown);
  }
};

it('merges files and settings, the last of which wins', () => {
  const files = [file('a', 'replicas: { api: 2, x: 1 }\n'), file('b', 'replicas: { api: 3 }\n')];
  expect(givenValues(files, ['replicas.x=5', 'settings.debug=true', 'settings.name=a, b'])).toEqual(
    { replicas: { api: 3, x: 5 }, settings: { debug: true, name: 'a, b' } },
  );
});

it('refuses no values, invalid files and invalid settings', () => {
  expect(messageFrom([], [])).toBe('no values are given');
  const list = file('list', '- a\n');
  expect(messageFrom([list], [])).toBe(`${list} is not a mapping of values`);
  const broken = file('broken', 'a: [\n');
  expect(messageFrom([broken], [])).toMatch(/broken is not YAML: /);
  for (const text of ['replicas', '=1', 'a..b=1', '.a=1'])
    expect(messageFrom([], [text])).toBe(`${JSON.stringify(text)} is not a value for --set`);
});
