import { join } from 'node:path';
import type { PlanDocument } from '#plan';
import { openStore } from '#store';
import { expectationsKey } from '../../tools/cli/src/compose/definition-expectations.ts';
import { openProject } from '../../tools/cli/src/compose/plan.ts';
import { openPassedTests } from '../../tools/cli/src/state/passed-tests.ts';
import { fixtureTar } from '../../tools/store/src/testing/fixture-tar.ts';
import { pushAndSeal } from '../../tools/store/src/testing/push-image.ts';
import { ccpJson } from './ccp.ts';
import { runInProcess } from './run-in-process.ts';

/**
 * Stores each planned image with one file, like a build without an engine whose tests passed. The
 * file has the fingerprint of the image and `extra`; `files` are added to each image.
 */
export async function storePlannedImages(
  root: string,
  env: Readonly<Record<string, string>>,
  extra = '',
  files: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { images } = await ccpJson<PlanDocument>(root, ['plan'], env, runInProcess);
  const store = await openStore({ folder: join(root, '.ccp/store') });
  const { paths, series: own, graph } = openProject(root, undefined);
  for (const { image, fingerprint, record } of images) {
    const { series, platform, labels } = record;
    const contents = Object.entries({ a: `${fingerprint}${extra}`, ...files });
    const layer = fixtureTar(
      contents.map(([name, content]) => ({ name, type: 'file' as const, content })),
    );
    const identity = { image, fingerprint, series, platform, contentKey: fingerprint, labels };
    const stored = await pushAndSeal(store, identity, [layer]);
    await store.publish(stored);
    const key = expectationsKey(graph.images.get(image)!);
    openPassedTests(paths, own.name).add(image, stored.digest, key);
  }
  await store.close();
}
