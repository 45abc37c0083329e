/** A version of a Debian package that upstream supports until a date. */
export interface Maintenance {
  readonly package: string;
  /** Beginning of the upstream version: whole numbers. */
  readonly version: string;
  /** Last day, `YYYY-MM-DD`. */
  readonly until: string;
  /** The page with the date. */
  readonly source: string;
}

/** A Debian suite with the last day of its security updates, those of the LTS team included. */
export interface SuiteMaintenance {
  readonly name: string;
  readonly until: string;
  readonly source: string;
}

const MARIADB = 'https://mariadb.org/about/#maintenance-policy';
const RABBITMQ = 'https://www.rabbitmq.com/release-information';
const HAPROXY = 'https://www.haproxy.org/';
const PYTHON = 'https://devguide.python.org/versions/';
const DEBIAN = 'https://wiki.debian.org/LTS';

/**
 * Read in November 2026. Upstream support of a RabbitMQ version ends with the next one. HAProxy
 * names quarters, and the day before the quarter is used here.
 */
export const MAINTENANCE: readonly Maintenance[] = [
  { package: 'mariadb-server', version: '10.11', until: '2028-02-16', source: MARIADB },
  { package: 'mariadb-server', version: '11.8', until: '2028-06-04', source: MARIADB },
  {
    package: 'rabbitmq-server',
    version: '3.10',
    until: '2023-07-31',
    source: 'https://github.com/rabbitmq/rabbitmq-server/releases/tag/v3.10.24',
  },
  { package: 'rabbitmq-server', version: '4.0', until: '2025-04-15', source: RABBITMQ },
  { package: 'haproxy', version: '2.6', until: '2027-03-31', source: HAPROXY },
  { package: 'haproxy', version: '3.0', until: '2029-03-31', source: HAPROXY },
  { package: 'python3.11-minimal', version: '3.11', until: '2027-10-31', source: PYTHON },
  { package: 'python3.13-minimal', version: '3.13', until: '2029-10-31', source: PYTHON },
];

/** By name in `images/series.yaml`; read in November 2026. */
export const SUITES: Readonly<Record<string, SuiteMaintenance>> = {
  bookworm: { name: 'Debian 12', until: '2028-06-30', source: DEBIAN },
  trixie: { name: 'Debian 13', until: '2030-06-30', source: DEBIAN },
};
