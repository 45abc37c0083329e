import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions';
import { layOutSite } from './index.ts';
import { findRollback } from './record/rollback.ts';
import { appText, siteInputs } from './testing/site-input.ts';
import { installed, plain, refTo, revisions } from './testing/tiny-looks.ts';
import { TINY, tinySite } from './testing/tiny-site.ts';

const KEYS = 'secrets: { keys: { generate: fernet-keys, keep: 4 } }\n';

describe('another generation of a Secret', () => {
  it('is a Secret of its own; Fernet keys go on from those before, which the job that makes them may read', () => {
    const { secrets, foundation } = layOutSite(siteInputs({ parseAppSpec, parseSite })('{ web: { generations: { keys: 3 } } }', { web: appText('web', KEYS) }));
    expect(secrets).toEqual([{ name: 'web-keys-g3', instance: 'web', keys: { 0: 'fernet-key', 1: 'fernet-key' }, previous: { name: 'web-keys-g2', keep: 4 } }]);
    const role = foundation.find(({ kind }) => kind === 'Role')!;
    expect(role['rules']).toEqual([{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }, { apiGroups: [''], resources: ['secrets'], resourceNames: ['web-keys-g2'], verbs: ['get'] }]);
  });

  it('is refused for what is no generated Secret', () => {
    const input = siteInputs({ parseAppSpec, parseSite })('{ web: { generations: { kes: 2 } } }', { web: appText('web', KEYS) });
    expect(() => layOutSite(input)).toThrow('"web" has no generated Secret "kes"');
  });

  it('is made, set where the account is, and rolled to, in this order; a rollback sets the one before again', async () => {
    const world = await installed();
    await world.apply(tinySite({ generation: 2 }));
    const order = plain(world.events.flatMap((event) => (event.type === 'written' && /^(Job|Deployment|StatefulSet)/.test(event.key) ? [`${event.action} ${event.key}`] : [])));
    expect(order).toEqual(['create Job/ccp-tiny-secrets-#', 'create Job/web-database-setup-#', 'update Deployment/web', 'prune Job/ccp-tiny-secrets-#', 'prune Job/web-database-setup-#']);
    for (const object of world.cluster.store.all().filter(({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith('web-database'))) world.cluster.store.remove(refTo('Job', object.metadata.name));
    const { record, rendered } = await findRollback(world.cluster, TINY);
    await world.apply(rendered, { rollbackTo: record.revision });
    const back = plain(world.events.flatMap((event) => (event.type === 'written' && event.action !== 'prune' && /^(Job|Deployment)/.test(event.key) ? [event.key] : [])));
    expect(back).toEqual(['Job/web-database-setup-#', 'Deployment/web']);
    expect(await revisions(world)).toEqual(['1 good', '2 good', '3 good back to 1']);
    expect((await world.apply(rendered)).state).toBe('unchanged');
  });
});
