import { expect, it } from 'vitest';
import { TINY, tinySite } from '#site/testing';
import { installed, plain } from '../testing/tiny-looks.ts';
import { tinyWorld } from '../testing/tiny-world.ts';
import { openStatus } from './open-status.ts';
import { supportFiles } from './support-files.ts';

it('writes status, objects and the output of pods, but no Secret', async () => {
  const world = tinyWorld();
  world.behave({ web: 'crashes' });
  world.cluster.store.put(
    { apiVersion: 'v1', kind: 'Namespace', name: TINY.namespace },
    { object: {}, owners: [] },
  );
  await world.cluster.create(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'web-database', namespace: TINY.namespace },
      stringData: { password: 'hunter22' },
    },
    { fieldManager: 'x' },
  );
  await world.apply(tinySite());
  const open = await openStatus(world.cluster, TINY, world.clock);
  const files = await supportFiles(world.cluster, TINY, open);
  await open.close();
  const paths = plain(
    files.map(({ path }) => path.replaceAll(/-[0-9a-f]{8,10}(?=[-./]|$)/g, '-#')),
  );
  expect(paths).toEqual(
    expect.arrayContaining([
      'status.txt',
      'drift.txt',
      'history.json',
      'ledger.json',
      'objects/Deployment/web.json',
      'pods/web-#-0/web.previous.log',
      'pods/base-0/pod.json',
    ]),
  );
  expect(
    files
      .filter(({ path }) => path.endsWith('.previous.log'))
      .map(({ text }) => text.split('\n')[0]),
  ).toEqual(['starting', 'starting']);
  expect(files.some(({ text }) => text.includes('hunter22'))).toBe(false);
});

it('writes the pods of a site whose other objects were deleted', async () => {
  const world = await installed();
  const open = await openStatus(world.cluster, TINY, world.clock);
  for (const kind of ['ConfigMap', 'Secret'])
    for (const { metadata } of (
      await world.cluster.list({ apiVersion: 'v1', kind }, { namespace: TINY.namespace })
    ).items)
      if (!metadata.name.includes('-revision-'))
        world.cluster.store.remove({
          apiVersion: 'v1',
          kind,
          name: metadata.name,
          namespace: TINY.namespace,
        });
  const paths = (await supportFiles(world.cluster, TINY, open)).map(({ path }) => path);
  await open.close();
  expect(paths).toContain('pods/base-0/pod.json');
});
