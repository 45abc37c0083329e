import { CcpError, type Position } from './errors.ts';
import { meantOrKnown } from './nearest.ts';

/** Keys and indexes that lead to a value in a file. */
export type KeyPath = readonly (string | number)[];

/** Where checks of one file note what they find. */
export interface FileFindings {
  /** At their places, in the order they were noted. */
  readonly findings: readonly CcpError[];
  refuse(path: KeyPath, message: string, hint?: string): void;
  /** Refuses a name that is none of `names`, with the nearest one; `what` is the sentence before it, such as `"keystone" has no workload`. */
  known(path: KeyPath, what: string, name: string, names: Iterable<string>): void;
}

/** No findings yet; each will have this code. `position` is that of a path in the file. */
export function fileFindings(code: string, position: (path: KeyPath) => Position): FileFindings {
  const findings: CcpError[] = [];
  const refuse: FileFindings['refuse'] = (path, message, hint) => {
    findings.push(new CcpError({ code, message, at: position(path), ...(hint === undefined ? {} : { hint }) }));
  };
  return {
    findings,
    refuse,
    known: (path, what, name, names) => {
      const list = [...names];
      if (!list.includes(name)) refuse(path, `${what} "${name}"`, meantOrKnown(name, list));
    },
  };
}
