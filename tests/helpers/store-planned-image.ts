import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Digest } from '#core';
import type { PlanDocument } from '#plan';
import { openStore } from '#store';
import { fixtureTar, type FixtureMember } from '../../tools/store/src/testing/fixture-tar.ts';
import { pushAndSeal } from '../../tools/store/src/testing/push-image.ts';
import { ccpJson } from './ccp.ts';
import { runInProcess } from './run-in-process.ts';

const MEMBERS: readonly FixtureMember[] = [{ name: 'a', type: 'file' }];

/**
 * Stores an image under the fingerprint of its plan, like a build of 2026.1; by default an image of
 * one file in the store of the workspace `root`.
 */
export async function storePlannedImage(
  root: string,
  name: string,
  env: Readonly<Record<string, string>>,
  { folder = '.ccp/store', members = MEMBERS } = {},
): Promise<Digest> {
  const { images } = await ccpJson<PlanDocument>(root, ['plan', name], env, runInProcess);
  const { image, fingerprint, record } = images.find(({ image }) => image === name)!;
  const opened = await openStore({ folder: join(root, folder) });
  const identity = {
    image,
    fingerprint,
    series: record.series,
    platform: record.platform,
    contentKey: fingerprint,
    labels: record.labels,
  };
  const stored = await pushAndSeal(opened, identity, [fixtureTar(members)]);
  await opened.publish(stored);
  await opened.close();
  const records = join(root, '.ccp/records/2026.1');
  mkdirSync(records, { recursive: true });
  writeFileSync(join(records, `${name}.json`), JSON.stringify({ record }));
  return stored.digest;
}
