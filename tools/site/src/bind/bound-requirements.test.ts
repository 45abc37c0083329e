import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { podsOf } from '../index.ts';
import { checkedObjects, renderChecked } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const siteInput = siteInputs({ parseAppSpec, parseSite });

const DATABASE = appText(
  'base',
  'provides: { database: { kind: database, workload: base, port: http, scheme: sql, setup: { command: [make, "${consumer.name}"], env: { PASSWORD: "${consumer.password}" }, resources: {} } } }\n',
);

const NEEDS_DATABASE = 'requires: { database: { kind: database } }\n';

describe('requirements', () => {
  it('may be met by an instance that the site chooses', () => {
    const { steps, secrets } = renderChecked(
      siteInput('{ base: {}, own: { app: base }, web: { requires: { database: own } } }', {
        base: DATABASE,
        web: appText('web', NEEDS_DATABASE, 'env: { URL: "${requires.database.url}" }'),
      }),
    );
    expect(steps.find(({ id }) => id === 'web/setup/database')?.waitsFor).toEqual([
      'own/workload/base',
    ]);
    expect(secrets).toEqual([
      { name: 'web-database', instance: 'web', keys: { password: 'password' } },
    ]);
    const web = podsOf(steps.flatMap(({ objects }) => objects)).find(
      ({ object }) => object.metadata.name === 'web',
    );
    expect(web?.pod.containers[0]?.env).toEqual([
      {
        name: 'CCP_WEB_DATABASE_PASSWORD_B593D38D',
        valueFrom: { secretKeyRef: { name: 'web-database', key: 'password' } },
      },
      {
        name: 'URL',
        value: 'sql://web:$(CCP_WEB_DATABASE_PASSWORD_B593D38D)@own.cloud.svc.cluster.local:80/web',
      },
    ]);
  });

  it('removes references to optional requirements that no app meets', () => {
    const web = appText(
      'web',
      'requires: { database: { kind: database, optional: true } }\n',
      'env: { URL: "${requires.database.url}", NAME: "${instance.name}" }',
    );
    const pod = podsOf(checkedObjects(siteInput('{ web: {} }', { web }))).find(
      ({ object }) => object.metadata.name === 'web',
    );
    expect(pod?.pod.containers[0]?.env).toEqual([{ name: 'NAME', value: 'web' }]);
  });
});
