import { expect, it } from 'vitest';
import { quotedChange, quotedLine } from './quoted-change.ts';

const A = 'a'.repeat(150);

it.each<[string, string, string, string]>([
  ['short lines without surrounding spaces', '  RUN b', 'RUN c ', '"RUN b" -> "RUN c"'],
  [
    'short lines with surrounding spaces if only the spaces differ',
    '  RUN b',
    'RUN b',
    '"  RUN b" -> "RUN b"',
  ],
  [
    'the part of long lines around the first difference',
    `${A}bcd${A}`,
    `${A}xyz${A}`,
    `"…${'a'.repeat(40)}bcd${'a'.repeat(77)}…" -> "…${'a'.repeat(40)}xyz${'a'.repeat(77)}…"`,
  ],
  [
    'the start of long lines if the first difference is near it',
    `bcd${A}`,
    `xyz${A}`,
    `"bcd${'a'.repeat(117)}…" -> "xyz${'a'.repeat(117)}…"`,
  ],
  [
    'the end of a line that became longer',
    A,
    `${A} && b`,
    `"…${'a'.repeat(40)}" -> "…${'a'.repeat(40)} && b"`,
  ],
])('quotes %s', (_, from, to, expected) => expect(quotedChange(from, to)).toBe(expected));

it('shortens a single line at its end', () =>
  expect(quotedLine(` ${A}`)).toBe(`"${'a'.repeat(120)}…"`));
