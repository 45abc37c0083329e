import type { Lock } from './types.ts';

/** A version of a Debian package that upstream supports until a date. */
interface Maintenance {
  readonly package: string;
  /** Beginning of the upstream version: whole numbers. */
  readonly version: string;
  /** Last day, `YYYY-MM-DD`. */
  readonly until: string;
}

/**
 * From https://mariadb.org/about/#maintenance-policy and
 * https://www.rabbitmq.com/release-information, read in November 2026. RabbitMQ's community support
 * of a version ends with the next one.
 */
const MAINTENANCE: readonly Maintenance[] = [
  { package: 'mariadb-server', version: '10.11', until: '2028-02-16' },
  { package: 'mariadb-server', version: '11.8', until: '2028-06-04' },
  { package: 'rabbitmq-server', version: '3.10', until: '2023-07-31' },
  { package: 'rabbitmq-server', version: '4.0', until: '2025-04-15' },
];

/**
 * A line for each package of a lock that upstream no longer supports on a day (`YYYY-MM-DD`).
 * Debian can still fix security faults in it.
 */
export function endOfLifeLines(
  { image, debian }: Pick<Lock, 'image' | 'debian'>,
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
          `${image}: ${name} ${version} is past its end of life: upstream support ended on ${until}; plan an upgrade to a newer series`,
        ];
  });
}

/** A Debian version without its epoch. */
const upstream = (version: string): string => version.replace(/^\d+:/, '');
