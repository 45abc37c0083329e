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

  it('logs in with an account of each generation where the provider has such accounts', () => {
    const base = appText(
      'base',
      'provides: { bus: { kind: message-bus, workload: base, port: http, scheme: rabbit, accounts: generation, setup: { command: [make, "${consumer.name}", "${consumer.user}"], resources: {} }, retire: { env: { OTHERS: remove } } } }\n',
    );
    const web = appText(
      'web',
      'requires: { bus: { kind: message-bus } }\n',
      'env: { URL: "${requires.bus.url}", LOGIN: "${requires.bus.user}" }',
    );
    const of = (generation: number): unknown => {
      const pods = podsOf(
        checkedObjects(
          siteInput(`{ base: {}, web: { generations: { bus: ${generation} } } }`, { base, web }),
        ),
      );
      return pods.flatMap(({ object: { metadata }, pod: { containers } }) => [
        ...(metadata.name === 'web' ? containers[0]!.env.slice(1) : []),
        ...(metadata.name.startsWith('web-bus-') ? [containers[0]!.command] : []),
      ]);
    };
    const url = (user: string, variable: string) => ({
      name: 'URL',
      value: `rabbit://${user}:$(${variable})@base.cloud.svc.cluster.local:80/web`,
    });
    expect(of(1)).toEqual([
      ['make', 'web', 'web'],
      { name: 'LOGIN', value: 'web' },
      url('web', 'CCP_WEB_BUS_PASSWORD_A848726D'),
    ]);
    expect(of(2)).toEqual([
      ['make', 'web', 'web.2'],
      { name: 'LOGIN', value: 'web.2' },
      url('web.2', 'CCP_WEB_BUS_G2_PASSWORD_0A982EED'),
      ['make', 'web', 'web.2'],
    ]);
  });
});
