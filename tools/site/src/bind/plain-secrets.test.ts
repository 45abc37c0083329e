import { expect, it } from 'vitest';
import { formatPosition } from '#core';
import type { Site } from '#definitions';
import { findPlainSecrets } from './plain-secrets.ts';

it('warns of values that look like secrets, by their place and never by their value', () => {
  const apps = {
    keystone: {
      settings: { processes: 2, admin_password: 'hunter2hunter2' },
      config: {
        'keystone.conf': {
          database: { connection: 'mysql+pymysql://keystone:hunter2@db/keystone' },
          fernet_tokens: { key_repository: '/etc/keystone/fernet-keys', max_active_keys: 3 },
          ldap: {
            url: 'ldap://directory.example',
            password: '${requires.ldap.password}',
            private_key: 'MIIB',
            tokens: ['abc'],
          },
          token: { provider: 'fernet', token_file: '/etc/token' },
        },
      },
    },
  };
  const site = {
    apps,
    position: (path: readonly (string | number)[]) => ({ file: 'site.yaml', line: path.length }),
  } as unknown as Site;
  const warnings = findPlainSecrets(site).map(
    ({ message, at }) => `${formatPosition(at!)} ${message}`,
  );
  expect(warnings).toEqual([
    'site.yaml:4 apps.keystone.settings.admin_password looks like a secret in plain text',
    'site.yaml:6 apps.keystone.config.keystone.conf.database.connection looks like a secret in plain text',
    'site.yaml:6 apps.keystone.config.keystone.conf.ldap.private_key looks like a secret in plain text',
  ]);
  expect(JSON.stringify(findPlainSecrets(site))).not.toContain('hunter2');
});
