import { expect, it } from 'vitest';
import { readAppSpecs } from '#definitions/deploy';
import { REPOSITORY } from '../helpers/ccp.ts';

const SPECS = readAppSpecs(REPOSITORY);
const PASSWORD = 'OS_KEYSTONE_AUTHTOKEN__PASSWORD';
const KEY = 'OS_KEYSTONE_AUTHTOKEN__MEMCACHE_SECRET_KEY';

/** The options of one section of an app's INI file, from all its layers. */
function section(app: string, file: string, name: string): Readonly<Record<string, unknown>> {
  const layers = SPECS.get(app)!.config![file]!.layers;
  return Object.assign(
    {},
    ...layers.map(({ content }) => (typeof content === 'string' ? {} : content[name])),
  ) as Readonly<Record<string, unknown>>;
}

it('encrypts the tokens of each service in memcached', () => {
  const services = [...SPECS.values()].filter(({ config = {} }) =>
    Object.values(config).some(({ layers }) =>
      layers.some(({ content }) => typeof content !== 'string' && 'keystone_authtoken' in content),
    ),
  );
  expect(services.map(({ name }) => name)).toEqual(['glance', 'neutron', 'nova', 'placement']);
  for (const { name, secrets, workloads } of services) {
    expect(
      section(name, `${name === 'glance' ? 'glance-api' : name}.conf`, 'keystone_authtoken'),
    ).toMatchObject({
      memcached_servers: '${requires.cache.servers}',
      memcache_security_strategy: 'ENCRYPT',
    });
    expect(secrets).toMatchObject({ 'token-cache': { generate: 'password' } });
    const checking = Object.values(workloads)
      .flatMap(({ containers }) => Object.values(containers))
      .filter(({ env = {} }) => PASSWORD in env);
    expect(checking.map(({ env }) => env![KEY])).toEqual(['${secrets.token-cache.password}']);
  }
});

it('stores neither tokens nor directory passwords of keystone in memcached', () => {
  const off = { caching: false };
  expect(section('keystone', 'keystone.conf', 'token')).toEqual({ ...off, cache_on_issue: false });
  expect(section('keystone', 'keystone.conf', 'receipt')).toEqual({
    ...off,
    cache_on_issue: false,
  });
  expect(section('keystone', 'keystone.conf', 'domain_config')).toEqual(off);
});

it('allows connections to memcached only from apps that require the cache', () => {
  const ports = Object.values(SPECS.get('memcached')!.workloads['memcached']!.containers).flatMap(
    (container) => Object.values(container.ports ?? {}),
  );
  expect(ports).toEqual([{ port: 11211, from: 'consumers' }]);
});
