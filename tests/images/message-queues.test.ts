import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';

type Content = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

interface AppSpec {
  readonly config?: Readonly<
    Record<string, { readonly layers?: readonly { readonly content?: Content }[] }>
  >;
}

const images = join(REPOSITORY, 'images');

/** Options of files with the section `oslo_messaging_rabbit`, all layers together. */
const files = readdirSync(images)
  .map((app) => ({ app, path: join(images, app, 'app.yaml') }))
  .filter(({ path }) => existsSync(path))
  .flatMap(({ app, path }) =>
    Object.entries((parse(readFileSync(path, 'utf8')) as AppSpec).config ?? {}).flatMap(
      ([file, { layers = [] }]) => {
        const contents = layers.map(({ content }) => content ?? {});
        const rabbit = contents.map((content) => content['oslo_messaging_rabbit']).find(Boolean);
        const isLocked = contents.some(
          (content) => content['oslo_concurrency']?.['lock_path'] !== undefined,
        );
        return rabbit === undefined ? [] : [{ file: `${app}/${file}`, rabbit, isLocked }];
      },
    ),
  );

it('has services whose queues are all quorum queues with stable names', () => {
  expect(files.map(({ file }) => file)).toEqual([
    'keystone/keystone.conf',
    'neutron/neutron.conf',
    'nova/nova.conf',
  ]);
  // Keystone only sends notifications.
  for (const { file, rabbit, isLocked } of files.filter(({ file: of }) => !of.startsWith('key')))
    expect({ file, rabbit, isLocked }).toEqual({
      file,
      rabbit: {
        rabbit_quorum_queue: true,
        rabbit_transient_quorum_queue: true,
        use_queue_manager: true,
      },
      // The names are counted under a lock in lock_path.
      isLocked: true,
    });
});
