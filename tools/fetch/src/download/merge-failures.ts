import { CcpError, omitUndefined, shortList } from '#core';
import type { LockedFile } from '../locked-file.ts';
import { mirrorSetting } from './fetch-one.ts';

/** A file that could not be fetched. */
export interface FileFailure {
  readonly file: LockedFile;
  /** The file's name in messages. */
  readonly name: string;
  readonly error: CcpError;
}

/** Up to this many failures of one kind are reported separately. */
const MAX_SEPARATE = 5;
/** File names listed in a merged error. */
const NAMED = 3;

/**
 * Returns one error per failure, sorted by message; more than five failures of one archive with the
 * same code become one error. `requested` lists all requested files: if an archive has none of
 * them, the hint says to check its address.
 */
export function mergeFailures(
  failures: readonly FileFailure[],
  requested: readonly LockedFile[],
): CcpError[] {
  const groups = Map.groupBy(failures, ({ file, error }) => `${error.code} ${mirrorSetting(file)}`);
  const findings = [...groups.values()].flatMap((group) =>
    group.length <= MAX_SEPARATE ? group.map(({ error }) => error) : [mergeGroup(group, requested)],
  );
  return findings.sort(byMessage);
}

function mergeGroup(group: readonly FileFailure[], requested: readonly LockedFile[]): CcpError {
  const [{ file, error }, ...others] = group.toSorted((a, b) => byMessage(a.error, b.error)) as [
    FileFailure,
    ...FileFailure[],
  ];
  const setting = mirrorSetting(file);
  const allMissing =
    error.code === 'file-gone' &&
    requested.filter((each) => mirrorSetting(each) === setting).length === group.length;
  const hint = allMissing
    ? `the mirror has none of these files: check its address ("${setting}" in .ccp.yaml)`
    : error.hint;
  const names = others.map(({ name }) => name);
  return new CcpError({
    code: error.code,
    message: `${group.length} files could not be fetched: ${error.message}; the same error for ${shortList(names, NAMED - 1)}`,
    ...omitUndefined({ hint }),
    inputs: group.map(({ name }) => name),
    cause: error,
  });
}

function byMessage(a: CcpError, b: CcpError): number {
  return a.message < b.message ? -1 : 1;
}
