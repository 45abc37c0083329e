import { CcpError } from '#core';
import type { LockedFile } from '../types.ts';
import { mirrorSetting } from './fetch-one.ts';

/** A file that could not be had. */
export interface FileFailure {
  readonly file: LockedFile;
  /** The file's name for people. */
  readonly name: string;
  readonly error: CcpError;
}

/** Failures of one kind that are told one by one. */
const FEW = 5;
/** Names that are told of more. */
const NAMED = 3;

/**
 * What to tell of failures, in the order of their messages: each by itself, but one finding for many of one archive that failed the
 * same way. `asked` is all that was asked for: an archive that has none of it is told as one at a wrong address.
 */
export function alikeFailures(failures: readonly FileFailure[], asked: readonly LockedFile[]): CcpError[] {
  const groups = Map.groupBy(failures, ({ file, error }) => `${error.code} ${mirrorSetting(file)}`);
  const findings = [...groups.values()].flatMap((group) => (group.length <= FEW ? group.map(({ error }) => error) : [together(group, asked)]));
  return findings.sort(byMessage);
}

function together(group: readonly FileFailure[], asked: readonly LockedFile[]): CcpError {
  const [{ file, error }, ...others] = group.toSorted((a, b) => byMessage(a.error, b.error)) as [FileFailure, ...FileFailure[]];
  const setting = mirrorSetting(file);
  const none = error.code === 'file-gone' && asked.filter((each) => mirrorSetting(each) === setting).length === group.length;
  const hint = none ? `none of them is there: check the mirror's address ("${setting}" in .ccp.yaml)` : error.hint;
  const names = others
    .slice(0, NAMED - 1)
    .map(({ name }) => name)
    .join(', ');
  return new CcpError({
    code: error.code,
    message: `${group.length} files cannot be had: ${error.message}; the same for ${names} and ${group.length - NAMED} more`,
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

function byMessage(a: CcpError, b: CcpError): number {
  return a.message < b.message ? -1 : 1;
}
