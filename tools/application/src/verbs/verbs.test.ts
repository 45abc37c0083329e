import { expect, it } from 'vitest';
import { CcpError, codeOf } from '#core';
import { refTo } from '#rollout/testing';
import { APPLICATIONS } from '../record/store.ts';
import { updateOverrides } from '../overrides/user-overrides.ts';
import { APP, applicationWorld, renderTiny, tinyTarball } from '../testing/application-world.ts';
import { deleteApplication, removeApplication } from './remove.ts';
import { listApplications, showApplication } from './show.ts';
import { uploadApplication } from './upload.ts';

/** The code of the error of some work. */
async function codeFrom(work: Promise<unknown>): Promise<string | undefined> {
  return await work.then(
    () => undefined,
    (thrown: unknown) => codeOf(thrown),
  );
}

it('uploads, applies, removes and deletes', async () => {
  const world = applicationWorld();
  const { cluster, ran, record, engine } = world;
  expect(await world.upload({})).toMatchObject({ state: 'uploaded', version: '1.0-0' });
  expect(await codeFrom(world.upload({}))).toBe('application-state');
  const { result } = await world.applyApp();
  expect([result?.state, ran]).toEqual(['good', ['check', 'prepare', 'complete']]);
  expect(await record()).toMatchObject({ state: 'applied', revision: 1, by: 'tester@host' });
  expect((await world.applyApp()).result?.state).toBe('unchanged');
  expect(await codeFrom(deleteApplication(engine(), APP))).toBe('application-state');
  const removed = await removeApplication(engine(), APP, async () => undefined);
  expect(removed.record).toMatchObject({ state: 'uploaded' });
  expect(removed.record).not.toHaveProperty('revision');
  expect(removed.kept).toContain('Secret/web-database');
  expect(cluster.store.get(refTo('Deployment', 'web'))).toBeUndefined();
  await deleteApplication(engine(), APP);
  const { items } = await cluster.list(
    { apiVersion: 'v1', kind: 'ConfigMap' },
    { namespace: APPLICATIONS },
  );
  expect([items, await listApplications(cluster, world.clock)]).toEqual([[], []]);
});

it('records why an upload failed, which only a deletion ends', async () => {
  const { engine, record } = applicationWorld();
  const broken = {
    ...tinyTarball({}),
    sources: () => {
      throw new CcpError({ code: 'application-invalid', message: 'it has no site' });
    },
  };
  const upload = uploadApplication(engine(), broken, renderTiny);
  expect(await codeFrom(upload)).toBe('application-invalid');
  expect(await record()).toMatchObject({ state: 'upload-failed', reason: 'it has no site' });
  expect(await codeFrom(uploadApplication(engine(), tinyTarball({}), renderTiny))).toBe(
    'application-state',
  );
  await deleteApplication(engine(), APP);
  expect(await uploadApplication(engine(), tinyTarball({}), renderTiny)).toMatchObject({
    state: 'uploaded',
  });
});

it('refuses a cluster that is too old or too new', async () => {
  const { engine, record } = applicationWorld();
  const upload = async (kubernetes: object): Promise<string | undefined> => {
    const code = await codeFrom(
      uploadApplication(engine(), { ...tinyTarball({}), kubernetes }, renderTiny),
    );
    if ((await record()).state === 'upload-failed') await deleteApplication(engine(), APP);
    return code;
  };
  expect(await upload({ minimum: 'v9.1' })).toBe('application-kubernetes');
  expect(await upload({ maximum: 'v1.2.3' })).toBe('application-kubernetes');
  expect(await upload({ minimum: '1.20', maximum: 'v9' })).toBeUndefined();
});

it('keeps apply-failed with the reason, and continues', async () => {
  const world = applicationWorld();
  await world.upload({});
  world.behave({ 'web-migrate': 'crashes' });
  const { record } = await world.applyApp();
  expect(record.state).toBe('apply-failed');
  expect(record.reason).toMatch(/^revision 1 failed: Job\/web-migrate-[0-9a-f]{10} /);
  world.behave({});
  const again = await world.applyApp();
  expect(again.record).toMatchObject({ state: 'applied' });
  expect(again.record).not.toHaveProperty('reason');
});

it('is apply-failed if its images cannot be loaded, or if the platform refuses the result', async () => {
  const world = applicationWorld();
  await world.upload({});
  for (const step of ['prepare', 'complete'] as const) {
    const fail = async (): Promise<never> => {
      throw new CcpError({ code: 'application-hook', message: `${step} failed` });
    };
    expect(await codeFrom(world.applyApp({ [step]: fail }))).toBe('application-hook');
    expect(await world.record()).toMatchObject({ state: 'apply-failed', reason: `${step} failed` });
  }
});

it('keeps its state if a check refuses the apply', async () => {
  const world = applicationWorld();
  await world.upload({});
  const check = async (): Promise<never> => {
    throw new CcpError({ code: 'deploy-managed', message: 'the operator reconciles it' });
  };
  expect(await codeFrom(world.applyApp({ check }))).toBe('deploy-managed');
  world.node('one', { other: 'x' });
  expect(await codeFrom(world.applyApp())).toBe('application-roles');
  expect(await world.record()).toMatchObject({ state: 'uploaded' });
});

it('keeps remove-failed with the reason', async () => {
  const world = applicationWorld();
  await world.upload({});
  await world.applyApp();
  const { cluster } = world;
  const denied = {
    ...cluster,
    delete: async (...args: Parameters<typeof cluster.delete>) => {
      if (args[0].kind === 'Deployment')
        throw new CcpError({ code: 'cluster-denied', message: 'not allowed' });
      return await cluster.delete(...args);
    },
  };
  const removal = removeApplication(world.engine(denied), APP, async () => undefined);
  expect(await codeFrom(removal)).toBe('cluster-denied');
  expect(await world.record()).toMatchObject({ state: 'remove-failed', reason: 'not allowed' });
  const { record } = await removeApplication(world.engine(), APP, async () => undefined);
  expect(record.state).toBe('uploaded');
});

it('updates to allowed versions of the same site', async () => {
  const world = applicationWorld();
  await world.upload({});
  expect(await codeFrom(world.update({}, '1.0-1'))).toBe('application-state');
  await world.applyApp();
  expect(await codeFrom(world.update({}, '1.0-0'))).toBe('application-version');
  const only = { upgrades: { staysFailed: false, fromVersions: [String.raw`0\.9-\d+`] } };
  expect(await codeFrom(world.update({}, '1.0-1', only))).toBe('application-version');
  const some = { upgrades: { staysFailed: false, fromVersions: [String.raw`1\.0-\d+`] } };
  const { record } = await world.update({ release: 'two' }, '1.0-1', some);
  expect(record).toMatchObject({ state: 'applied', version: '1.0-1', revision: 2 });
  expect(record).not.toHaveProperty('from');
  expect((await world.applyApp()).result?.state).toBe('unchanged');
});

it('keeps or drops the overrides of users in an update', async () => {
  const world = applicationWorld();
  await world.upload({});
  const values = { replicas: { base: 1 } };
  const change = { chart: 'base', values, reset: false };
  await updateOverrides(world.engine(), APP, change, renderTiny);
  await world.applyApp();
  const replicas = (): unknown =>
    (world.cluster.store.get(refTo('StatefulSet', 'base'))!['spec'] as { replicas: number })
      .replicas;
  expect(replicas()).toBe(1);
  await world.update({ release: 'two' }, '1.0-1');
  expect(replicas()).toBe(1);
  await world.update({ release: 'three' }, '1.0-2', { reuseOverrides: false });
  expect(replicas()).toBe(2);
});

it('rolls a failed update back to the version before', async () => {
  const world = applicationWorld();
  await world.upload({});
  await world.applyApp();
  world.behave({ 'web-migrate': 'crashes' });
  const { record, result } = await world.update({ release: 'two' }, '1.0-1');
  expect(result?.state).toBe('failed');
  expect(record).toMatchObject({ state: 'applied', version: '1.0-0', revision: 3 });
  expect(record.reason).toMatch(/^the update to 1\.0-1 failed and was rolled back: revision 2 /);
  expect(world.notes.at(-1)).toContain('tiny-app recovers 1.0-0');
  world.behave({});
  expect((await world.applyApp()).result?.state).toBe('unchanged');
});

it('stays update-failed if the metadata asks for it, and continues', async () => {
  const world = applicationWorld();
  await world.upload({});
  await world.applyApp();
  world.behave({ 'web-migrate': 'crashes' });
  const stays = { upgrades: { staysFailed: true } };
  const { record } = await world.update({ release: 'two' }, '1.0-1', stays);
  expect(record).toMatchObject({ state: 'update-failed', version: '1.0-1' });
  expect(record.from).toMatchObject({ version: '1.0-0', revision: 1 });
  world.behave({});
  const again = await world.applyApp();
  expect(again.record).toMatchObject({ state: 'applied', version: '1.0-1' });
  expect(again.record).not.toHaveProperty('from');
});

it('stays update-failed if the version before cannot be recovered', async () => {
  const world = applicationWorld();
  await world.upload({});
  await world.applyApp();
  world.behave({ 'web-migrate': 'crashes', web: 'crashes', base: 'crashes' });
  const { record } = await world.update({ release: 'two', size: '2Gi', bases: 3 }, '1.0-1');
  expect(record).toMatchObject({ state: 'update-failed', version: '1.0-1' });
  expect(record.reason).toContain('; 1.0-0 cannot be recovered: ');
});

it('shows an application that is missing', async () => {
  const { cluster, clock } = applicationWorld();
  expect(await codeFrom(showApplication(cluster, clock, 'none'))).toBe('application-missing');
});
