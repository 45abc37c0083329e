import type { TrackerEntry } from '../data/debian-tracker.ts';
import type { Verdict } from '../types.ts';
import { compareDebian } from '../versions/debian-version.ts';

/** Compares a source version with the tracker's entry for one vulnerability and release. */
export function debianVerdict(
  version: string,
  release: string,
  { status, fixedVersion, urgency, repositories, nodsa, nodsaReason }: TrackerEntry,
): Verdict {
  if (status === 'resolved') {
    if (fixedVersion === undefined)
      return { state: 'unknown', why: 'the tracker names no fixed version' };
    if (fixedVersion === '0')
      return { state: 'not-affected', why: `Debian: ${release} was never affected` };
    const fixed = fixedVersion;
    if (compareDebian(version, fixed) >= 0)
      return { state: 'not-affected', fixed, why: `fixed in ${fixed}` };
    const isReleased = repositories.some((each) => compareDebian(each, fixed) >= 0);
    return isReleased
      ? { state: 'fixable', fixed }
      : { state: 'no-fix', fixed, why: `the fix is not in the archives of ${release} yet` };
  }
  if (status === 'undetermined')
    return { state: 'unknown', why: 'Debian has not determined whether it is affected' };
  if (status !== 'open') return { state: 'unknown', why: `Debian: status ${status}` };
  if (urgency === 'end-of-life')
    return { state: 'no-fix', why: `Debian ended the support of this package in ${release}` };
  if (nodsaReason === 'ignored')
    return { state: 'ignored', why: `Debian: ignored${reasonIn(nodsa)}` };
  if (urgency === 'unimportant') return { state: 'ignored', why: 'Debian: unimportant' };
  if (nodsaReason === 'postponed')
    return { state: 'no-fix', why: `Debian: postponed${reasonIn(nodsa)}` };
  return nodsa === undefined
    ? { state: 'no-fix' }
    : { state: 'no-fix', why: `Debian: no advisory${reasonIn(nodsa)}` };
}

function reasonIn(nodsa: string | undefined): string {
  return nodsa === undefined || nodsa === '' ? '' : ` (${nodsa})`;
}
