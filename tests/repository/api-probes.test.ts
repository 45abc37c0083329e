import { expect, it } from 'vitest';
import { readAppSpecs } from '#definitions/deploy';
import { REPOSITORY } from '../helpers/ccp.ts';

const specs = [...readAppSpecs(REPOSITORY).values()];

/** The containers of all apps whose program is uWSGI. */
const apis = specs.flatMap(({ name, workloads }) =>
  Object.entries(workloads).flatMap(([workload, { containers }]) =>
    Object.values(containers)
      .filter(({ command }) => command[0] === 'uwsgi')
      .map(({ probes, drain }) => ({ key: `${name}.${workload}`, probes, drain })),
  ),
);
// The dashboard answers its login page without any other service.
const services = apis.filter(({ key }) => !key.startsWith('horizon.'));

it('finds the APIs', () => {
  expect(services.map(({ key }) => key)).toContain('keystone.api');
});

it.each(services)(
  '$key does not restart because another service is away, and its probe does not wait behind requests',
  ({ probes, drain }) => {
    expect(probes?.liveness).toBeUndefined();
    expect(probes?.readiness?.tcp).toBeDefined();
    expect(probes?.startup?.http).toBeDefined();
    expect(drain).toBeGreaterThan(0);
  },
);

it('gives every cache a timeout in the configuration of its users', () => {
  const texts = specs.flatMap(({ name, config = {} }) =>
    Object.values(config)
      .map((file) => JSON.stringify(file))
      .filter((text) => text.includes('${requires.cache.servers}'))
      .map((text) => ({ name, text })),
  );
  expect(texts.length).toBeGreaterThan(0);
  for (const { name, text } of texts) {
    const users = text.split('${requires.cache.servers}').length - 1;
    expect(text.match(/"memcache_(?:pool_)?dead_retry":20/g), name).toHaveLength(users);
    expect(text.match(/"memcache_(?:pool_)?socket_timeout":/g), name).toHaveLength(users);
  }
});
