import { CcpError, type Position } from './errors.ts';
import { suggestName } from './nearest.ts';
import { omitUndefined } from './omit-undefined.ts';

/** Keys and indexes from the root of a file to a value. */
export type KeyPath = readonly (string | number)[];

/** Collects the findings of one file. */
export interface FileFindings {
  /** The findings in the order of their discovery. */
  readonly findings: readonly CcpError[];
  refuse(path: KeyPath, message: string, hint?: string): void;
  /**
   * Adds a finding if `name` is not in `names`, with the most similar name. `what` is the start of
   * the message, such as `"keystone" has no workload`.
   */
  known(path: KeyPath, what: string, name: string, names: Iterable<string>): void;
}

/**
 * An empty collector. All findings get this code; `position` returns the position of a path in the
 * file.
 */
export function fileFindings(code: string, position: (path: KeyPath) => Position): FileFindings {
  const findings: CcpError[] = [];
  const refuse: FileFindings['refuse'] = (path, message, hint) => {
    findings.push(new CcpError({ code, message, at: position(path), ...omitUndefined({ hint }) }));
  };
  return {
    findings,
    refuse,
    known: (path, what, name, names) => {
      const list = [...names];
      if (!list.includes(name)) refuse(path, `${what} "${name}"`, suggestName(name, list));
    },
  };
}
