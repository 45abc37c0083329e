import { expect, it } from 'vitest';
import { Findings } from './findings.ts';

it('lists a limited number of findings of each level, and counts the others', () => {
  const found = new Findings();
  for (let index = 0; index < 1000; index++)
    found.error('links', `${index}`, 'a link', 'remove it');
  for (let index = 0; index < 101; index++) found.warn('keys', `${index}`, 'unread', 'remove it');
  const { all } = found;
  expect(all.filter(({ level }) => level === 'error')).toHaveLength(101);
  expect(all.slice(-2).map(({ level, rule, message }) => [level, rule, message])).toEqual([
    ['error', 'more', '900 more errors are not listed'],
    ['warning', 'more', '1 more warning is not listed'],
  ]);
});

it('lists all of a few findings', () => {
  const found = new Findings();
  found.warn('keys', 'metadata.yaml', 'unread', 'remove it');
  expect(found.all).toHaveLength(1);
});
