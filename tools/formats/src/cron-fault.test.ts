import { expect, it } from 'vitest';
import { cronFault } from './cron-fault.ts';

it.each([
  ['15 2 * * *', undefined],
  ['*/5 0-6/2,12 1,15 jan-MAR mon-fri', undefined],
  [
    '99 99 * * *',
    'its minute must be of 0-59, a range such as 0-59, or with a step such as */2, not "99"',
  ],
  [
    '0 24 * * *',
    'its hour must be of 0-23, a range such as 0-23, or with a step such as */2, not "24"',
  ],
  [
    '0 0 0 * *',
    'its day of the month must be of 1-31, a range such as 1-31, or with a step such as */2, not "0"',
  ],
  [
    '0 0 * 13 *',
    'its month must be of 1-12 or jan-dec, a range such as 1-12, or with a step such as */2, not "13"',
  ],
  [
    '0 0 * * 7',
    'its day of the week must be of 0-6 or sun-sat, a range such as 0-6, or with a step such as */2, not "7"',
  ],
  [
    'foo bar baz qux x',
    'its minute must be of 0-59, a range such as 0-59, or with a step such as */2, not "foo"',
  ],
  [
    '*/0 * * * *',
    'its minute must be of 0-59, a range such as 0-59, or with a step such as */2, not "*/0"',
  ],
  [
    '30-10 * * * *',
    'its minute must be of 0-59, a range such as 0-59, or with a step such as */2, not "30-10"',
  ],
  [
    '1-2-3 * * * *',
    'its minute must be of 0-59, a range such as 0-59, or with a step such as */2, not "1-2-3"',
  ],
  [
    '1,,2 * * * *',
    'its minute must be of 0-59, a range such as 0-59, or with a step such as */2, not ""',
  ],
])('checks the schedule %s', (text, fault) => {
  expect(cronFault(text)).toBe(fault);
});
