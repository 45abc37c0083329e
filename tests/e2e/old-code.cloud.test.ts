import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapRecord } from '#core';
import type { KubernetesObject, RunningContainer } from '#ports';
import type { RenderedSite, Step } from '#site';
import { headsIn, type DataHeads } from '../../tools/rollout/src/record/data-ids.ts';
import { schemaStates } from '../../tools/rollout/src/record/schema-states.ts';
import { commandOutput } from '../helpers/e2e/command-output.ts';
import { openEngineSite, type EngineSite } from '../helpers/e2e/engine-site.ts';
import { runSiteSteps } from '../helpers/e2e/run-site-steps.ts';

// Code of the old series on a database whose schema is of the new one, as between the phases
// `migrate` and `roll` of an upgrade, and after a rollback.
const [OLD, NEW] = ['2025.2', '2026.1'];
const SERVICES = ['keystone', 'glance', 'placement', 'neutron', 'nova'] as const;
/** Services whose operations all work although their hop is not additive, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};
const APPS = `{
  mariadb: {}, memcached: {}, rabbitmq: {},
  keystone: { settings: { processes: 1 } },
  glance: { settings: { processes: 1 } },
  placement: { settings: { processes: 1 } },
  nova: { settings: { processes: 1, conductor-workers: 1, scheduler-workers: 1 } },
  neutron: {
    settings: { processes: 1, rpc-workers: 1 },
    config: { neutron.conf: { DEFAULT: { service_plugins: "router,network_segment_range" } } },
  },
}`;
const WORKLOADS =
  /^(mariadb|memcached|rabbitmq|keystone-api|glance-api|placement-api|nova-(api|scheduler|conductor)|neutron-(api|rpc))$/;
const USE = readFileSync(new URL('../helpers/e2e/use-services.py', import.meta.url), 'utf8');

/** Service -> operation -> HTTP status, or an error text. */
type Results = Readonly<Record<string, Readonly<Record<string, number | string>>>>;

let open: EngineSite;
let old: RenderedSite;
let renewed: RenderedSite;
let before: Results;
let after: Results;
let restarted: Results;
/** Old services that do not start on the new schema, with the error. */
let notStarted: ReadonlyMap<string, string>;
/** States of the old and the new site's databases, before and after the migrations. */
let schemas: Readonly<Record<'oldBefore' | 'newBefore' | 'oldAfter' | 'newAfter', string[]>>;

/** The step with the workloads and Jobs that the test needs. */
function needed(step: Step): Step {
  return {
    ...step,
    objects: step.objects.filter(
      ({ kind, metadata }) =>
        kind === 'Job' ||
        ((kind === 'Deployment' || kind === 'StatefulSet') && WORKLOADS.test(metadata.name)),
    ),
  };
}

async function useServices(): Promise<Results> {
  const { stdout, stderr, exitCode } = await open.pods.exec(
    open.imageOf('openstack-base'),
    ['/opt/openstack/bin/python', '-c', USE],
    {
      AUTH_URL: 'http://keystone-api.openstack.svc.cluster.local:5000/v3',
      PASSWORD: open.pods.secrets.read('keystone-admin')['password']!,
    },
  );
  expect(exitCode, stderr).toBe(0);
  console.log(stderr);
  return JSON.parse(stdout) as Results;
}

/** Operations of a service that failed. */
function failed(results: Results, service: string): string[] {
  return Object.entries(results[service] ?? {})
    .filter(([, status]) => typeof status === 'string' || status >= 400)
    .map(([operation, status]) => `${operation}: ${status}`);
}

/** Changes of a service's hop that older code may not tolerate. */
function changesOf(service: string): string[] {
  const known = old.schemas?.[service]?.revisions ?? {};
  return Object.entries(renewed.schemas?.[service]?.revisions ?? {})
    .filter(([id]) => known[id] === undefined)
    .flatMap(([, { file, changes = [] }]) =>
      changes.map(({ text, line }) => `${file}:${line} ${text}`),
    );
}

const migrations = ({ steps }: RenderedSite, service: string): Step[] =>
  steps.filter(
    ({ instance, phase }) => instance === service && (phase === 'expand' || phase === 'migrate'),
  );

/** The newest migrations in the databases, as MariaDB's member publishes them. */
async function publishedHeads(mariadb: RunningContainer): Promise<DataHeads> {
  const program = 'print Galera::Server::migrations()';
  const text = await commandOutput(mariadb, [
    ...['perl', '-I/etc/ccp', '-MGalera::Server', '-e', program],
  ]);
  return new Map([['StatefulSet/mariadb', headsIn(text)]]);
}

/** `DATABASE STATE` of each database of a site. */
function statesOf(site: RenderedSite, other: RenderedSite, heads: DataHeads): string[] {
  const records = [{ schemas: mapRecord(other.schemas ?? {}, ({ revisions }) => revisions) }];
  return schemaStates(site, records, {}, heads)
    .map(({ database, state }) => `${database} ${state}`)
    .sort();
}

/**
 * Stops the APIs of services and starts them again, with the old code on the new schema. Resolves
 * with the error of each service that does not start.
 */
async function restart(
  running: ReadonlyMap<string, RunningContainer>,
  services: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const errors = new Map<string, string>();
  for (const service of services) {
    const name = `${service}-api`;
    const pod = running.get(name)!;
    await pod.signal('KILL');
    await pod.wait();
    const kind = service === 'glance' ? 'StatefulSet' : 'Deployment';
    const object: KubernetesObject = old.steps
      .flatMap(({ objects }) => objects)
      .find((each) => each.kind === kind && each.metadata.name === name)!;
    await open.pods.start(object).catch((error: unknown) => {
      errors.set(service, /\(pymysql[^\n]*/.exec(String(error))?.[0] ?? String(error));
    });
  }
  return errors;
}

beforeAll(async () => {
  open = await openEngineSite(['mariadb', 'memcached', 'rabbitmq', ...SERVICES], APPS, [OLD, NEW]);
  old = open.site;
  const running = await runSiteSteps(
    old.steps.filter(({ id }) => id !== 'secrets').map(needed),
    open.pods,
  );
  before = await useServices();
  renewed = open.layOut(APPS, NEW);
  const mariadb = running.get('mariadb')!;
  const headsBefore = await publishedHeads(mariadb);
  for (const service of SERVICES) {
    const start = Date.now();
    await runSiteSteps(migrations(renewed, service), open.pods);
    console.log(`${service}: migrations in ${Math.round((Date.now() - start) / 1000)} s`);
  }
  const headsAfter = await publishedHeads(mariadb);
  schemas = {
    oldBefore: statesOf(old, renewed, headsBefore),
    newBefore: statesOf(renewed, old, headsBefore),
    oldAfter: statesOf(old, renewed, headsAfter),
    newAfter: statesOf(renewed, old, headsAfter),
  };
  after = await useServices();
  const isAdditive = (service: string): boolean => changesOf(service).length === 0;
  const additive = await restart(running, SERVICES.filter(isAdditive));
  restarted = await useServices();
  // The others come last: nova needs neutron.
  const others = await restart(
    running,
    SERVICES.filter((service) => !isAdditive(service)),
  );
  notStarted = new Map([...additive, ...others]);
});

afterAll(() => open?.close());

it('finds the migrations of all databases', () => {
  const of = (migrated: string): string[] => [
    'glance current',
    `keystone ${migrated}`,
    `neutron ${migrated}`,
    ...['nova', 'nova_api', 'nova_cell0', 'placement'].map((name) => `${name} current`),
  ];
  expect(schemas).toEqual({
    oldBefore: of('current'),
    newBefore: of('behind'),
    oldAfter: of('ahead'),
    newAfter: of('current'),
  });
});

describe.each(SERVICES)('the code of %s on the new schema', (service) => {
  it('works before the migrations', () => {
    expect(Object.keys(before[service]!).length).toBeGreaterThan(10);
    expect(failed(before, service)).toEqual([]);
  });

  it('works or fails as the class of the migrations says', () => {
    const changes = changesOf(service);
    const start = notStarted.get(service);
    const failures = [
      ...failed(after, service),
      ...(start === undefined ? failed(restarted, service) : [`start: ${start}`]),
    ];
    console.log(
      `${service}: ${Object.keys(before[service]!).length} operations, ${failures.length} failures: ` +
        `${failures.join(', ')}; changes: ${changes.join(', ')}`,
    );
    if (changes.length === 0 || EXCEPTIONS[service] !== undefined) expect(failures).toEqual([]);
    else expect(failures).not.toEqual([]);
  });
});
