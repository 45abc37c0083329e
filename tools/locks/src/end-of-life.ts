import { MAINTENANCE, SUITES } from './maintenance.ts';
import type { Lock } from './types.ts';

/**
 * A line for each package of a lock that upstream no longer supports on a day (`YYYY-MM-DD`), with
 * the last day of Debian's own security updates.
 */
export function endOfLifeLines(
  { image, debian }: Pick<Lock, 'image' | 'debian'>,
  suite: string,
  today: string,
): readonly string[] {
  const packages = Object.values(debian).flat();
  return MAINTENANCE.flatMap(({ package: name, version, until }) => {
    const found = packages.find(
      (each) => each.name === name && upstream(each.version).startsWith(`${version}.`),
    );
    return found === undefined || today <= until
      ? []
      : [
          `${image}: ${name} ${version} is past its end of life: upstream support ended on ${until}; ${debianText(suite, today)}`,
        ];
  });
}

/** A line if a suite gets no more security updates on a day; a suite without a date gets none. */
export function suiteEndOfLifeLines(suite: string, today: string): readonly string[] {
  const known = SUITES[suite];
  return known === undefined || today <= known.until
    ? []
    : [
        `${known.name} (${suite}) is past its end of life: security updates ended on ${known.until}; upgrade to a series on a newer suite`,
      ];
}

function debianText(suite: string, today: string): string {
  const known = SUITES[suite];
  return known === undefined || today > known.until
    ? 'upgrade to a newer series'
    : `${known.name} can fix security faults until ${known.until}; upgrade to a newer series by then`;
}

/** A Debian version without its epoch. */
const upstream = (version: string): string => version.replace(/^\d+:/, '');
