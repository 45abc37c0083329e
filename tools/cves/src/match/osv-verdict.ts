import type { OsvAffected, OsvEvent } from '../data/osv-record.ts';
import type { PackageKind, Verdict } from '../types.ts';
import { comparePython } from '../versions/python-version.ts';
import { compareSemver } from '../versions/semver-version.ts';

type Compare = (a: string, b: string) => number | undefined;

/** Compares a version with the affected ones of its package; undefined if it is not affected. */
export function osvVerdict(
  kind: PackageKind,
  version: string,
  { versions, ranges, hasCommits }: Omit<OsvAffected, 'key'>,
): Verdict | undefined {
  const compare: Compare = kind === 'python' ? comparePython : compareSemver;
  if (compare(version, version) === undefined)
    return { state: 'unknown', why: `the version ${version} cannot be compared` };
  const isListed = versions.some((each) => each === version || compare(each, version) === 0);
  const fixes: string[] = [];
  let isInRange = false;
  let isComparable = true;
  for (const events of ranges) {
    const found = inRange(version, events, compare);
    if (found === undefined) {
      isComparable = false;
      continue;
    }
    isInRange ||= found;
    if (found || isListed)
      fixes.push(
        ...events.flatMap((event) =>
          event.type === 'fixed' && compare(event.version, version)! > 0 ? [event.version] : [],
        ),
      );
  }
  if (isListed || isInRange) {
    const [fixed] = fixes.sort((a, b) => compare(a, b)!);
    return fixed === undefined ? { state: 'no-fix' } : { state: 'fixable', fixed };
  }
  if (!isComparable) return { state: 'unknown', why: 'a version of the record cannot be compared' };
  return hasCommits && ranges.length === 0 && versions.length === 0
    ? { state: 'unknown', why: 'the record names commits, and no versions' }
    : undefined;
}

/** True if a range has a version; undefined if a version of the range cannot be compared. */
function inRange(
  version: string,
  events: readonly OsvEvent[],
  compare: Compare,
): boolean | undefined {
  const sorted = events.filter(({ type, version: at }) => type !== 'limit' || at !== '*');
  if (
    sorted.some((event) => event.version !== '0' && compare(event.version, version) === undefined)
  )
    return undefined;
  // `0` is before every version, also before a pre-release of 0.
  const order = (event: OsvEvent): number =>
    event.version === '0' ? -1 : compare(event.version, version)!;
  const ordered = sorted.toSorted((a, b) =>
    a.version === '0' || b.version === '0'
      ? Number(b.version === '0') - Number(a.version === '0')
      : compare(a.version, b.version)!,
  );
  let isAffected = false;
  for (const event of ordered) {
    const difference = order(event);
    if (event.type === 'introduced' && difference <= 0) isAffected = true;
    else if (event.type === 'fixed' && difference <= 0) isAffected = false;
    else if (event.type === 'last_affected' && difference < 0) isAffected = false;
    else if (event.type === 'limit' && difference <= 0) isAffected = false;
  }
  return isAffected;
}
