import { expect, it } from 'vitest';
import { quotedChange, quotedLine } from './quoted-change.ts';

const A = 'a'.repeat(150);

it.each<[string, string, string, string]>([
  ['short lines are shown whole, without what is before and after', '  RUN b', 'RUN c ', '"RUN b" -> "RUN c"'],
  ['but where just that differs', '  RUN b', 'RUN b', '"  RUN b" -> "RUN b"'],
  [
    'long ones around the first difference',
    `${A}bcd${A}`,
    `${A}xyz${A}`,
    `"…${'a'.repeat(40)}bcd${'a'.repeat(77)}…" -> "…${'a'.repeat(40)}xyz${'a'.repeat(77)}…"`,
  ],
  ['a difference near the start leaves the start', `bcd${A}`, `xyz${A}`, `"bcd${'a'.repeat(117)}…" -> "xyz${'a'.repeat(117)}…"`],
  ['what only went on', A, `${A} && b`, `"…${'a'.repeat(40)}" -> "…${'a'.repeat(40)} && b"`],
])('%s', (_, from, to, expected) => expect(quotedChange(from, to)).toBe(expected));

it('cuts the end of a line alone', () => expect(quotedLine(` ${A}`)).toBe(`"${'a'.repeat(120)}…"`));
