import { CcpError, nearest } from '#core';
import type { AppSpec } from './app-spec.ts';

export type SpecPath = readonly (string | number)[];

/** Where checks of an app spec note what they find. */
export interface SpecFindings {
  /** `app-spec-invalid` each, at its place, in the order they were noted. */
  readonly findings: readonly CcpError[];
  refuse(path: SpecPath, message: string, hint?: string): void;
  /** Refuses a name that is none of `names`, with the nearest one; `what` is a noun such as "volume". */
  known(path: SpecPath, what: string, name: string, names: Iterable<string>): void;
}

/** No findings yet. */
export function specFindings(spec: Pick<AppSpec, 'position'>): SpecFindings {
  const findings: CcpError[] = [];
  const refuse: SpecFindings['refuse'] = (path, message, hint) => {
    findings.push(new CcpError({ code: 'app-spec-invalid', message, at: spec.position(path), ...(hint === undefined ? {} : { hint }) }));
  };
  return {
    findings,
    refuse,
    known: (path, what, name, names) => {
      const list = [...names];
      if (list.includes(name)) return;
      const meant = nearest(name, list);
      refuse(path, `there is no ${what} "${name}"`, meant === undefined ? `known: ${list.join(', ') || 'none'}` : `did you mean "${meant}"?`);
    },
  };
}
