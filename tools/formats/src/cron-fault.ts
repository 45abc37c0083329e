interface Field {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Names of its numbers in order. */
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of the month', from: 1, to: 31 },
  {
    name: 'month',
    from: 1,
    to: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  {
    name: 'day of the week',
    from: 0,
    to: 6,
    names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  },
];

/**
 * Describes the first of a schedule's five fields that Kubernetes refuses; `undefined` if the
 * schedule is valid (CronJobs of 1.36: no day 7, no `?`).
 */
export function cronFault(text: string): string | undefined {
  const parts = text.split(' ');
  return FIELDS.map((field, index) => fieldFault(field, parts[index] ?? '')).find(
    (fault) => fault !== undefined,
  );
}

function fieldFault(field: Field, text: string): string | undefined {
  const wrong = text.split(',').find((item) => !isItem(field, item));
  if (wrong === undefined) return undefined;
  const { name, from, to, names } = field;
  const named = names === undefined ? '' : ` or ${names[0]}-${names.at(-1)}`;
  return `its ${name} must be of ${from}-${to}${named}, a range such as ${from}-${to}, or with a step such as */2, not "${wrong}"`;
}

function isItem(field: Field, item: string): boolean {
  const [range = '', step, ...more] = item.split('/');
  if (more.length > 0 || (step !== undefined && !(/^[0-9]+$/.test(step) && Number(step) > 0)))
    return false;
  if (range === '*') return true;
  const ends = range.split('-').map((end) => numberOf(field, end));
  const [first, last = first] = ends;
  return (
    ends.length <= 2 &&
    first !== undefined &&
    last !== undefined &&
    !ends.includes(undefined) &&
    first <= last
  );
}

function numberOf({ from, to, names = [] }: Field, text: string): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return from + named;
  return /^[0-9]+$/.test(text) && Number(text) >= from && Number(text) <= to
    ? Number(text)
    : undefined;
}
