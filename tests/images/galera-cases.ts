import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
export const MODULES = fileURLToPath(new URL('../../images/mariadb/config', import.meta.url));

export const U = '11111111-1111-1111-1111-111111111111';
export const V = '22222222-2222-2222-2222-222222222222';
export const THREE = 'members db-0,db-1,db-2';

interface Report {
  readonly state?: string;
  readonly kind?: string;
  readonly uuid?: string;
  readonly view?: string;
  readonly view_seqno?: number;
  readonly left?: 0 | 1;
  readonly safe?: 0 | 1;
  readonly forks?: string;
  readonly quiet?: string;
}

/**
 * A member that has data at a position; after a crash, in a view of all three, unless the rest says
 * otherwise.
 */
export function data(ordinal: number, seqno: number, more: Report = {}): string {
  const report = {
    state: 'waiting',
    kind: 'data',
    uuid: U,
    seqno,
    view: '0,1,2',
    view_seqno: 90,
    left: 0,
    ...more,
  };
  return line(ordinal, report);
}
export const empty = (ordinal: number, more: Report = {}): string =>
  line(ordinal, { state: 'waiting', kind: 'empty', uuid: '', seqno: '', ...more });
const line = (ordinal: number, report: object): string =>
  `report member=db-${ordinal} ${Object.entries(report)
    .map(([key, value]) =>
      key === 'view'
        ? `view=${String(value)
            .split(',')
            .map((name) => `db-${name}`)
            .join(',')}`
        : `${key}=${key === 'left' && value === 0 ? '' : value}`,
    )
    .join(' ')}`;

/** The action of each member that answers, by the program of the decision. */
export function decide(...lines: readonly string[]): string[] {
  return execFileSync('perl', [`-I${MODULES}`, `${HERE}/decide.pl`], {
    input: `${lines.join('\n')}\n\n`,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');
}
