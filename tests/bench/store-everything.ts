import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, hexOf, sha256, SOURCE_DATE_EPOCH } from '#core';
import { openProject, planProject } from '../../tools/cli/src/compose/plan.ts';
import { expectationsKey } from '../../tools/cli/src/compose/definition-expectations.ts';
import { indexEntry } from '../../tools/store/src/layout/index-file.ts';

/**
 * Writes a store in which every image of a workspace is built and tested, so that a plan has
 * nothing to do. The manifests are placeholders.
 */
export async function storeEverything(folder: string): Promise<void> {
  const project = openProject(folder, undefined);
  const { images, series, platform } = planProject(project, []);
  const { store, tests } = project.paths;
  const manifests = images.map(({ image, fingerprint }) =>
    indexEntry(
      {
        image,
        series,
        platform,
        fingerprint,
        contentKey: sha256(fingerprint),
        digest: digestOf(image),
        size: 1000,
        compressedSize: 500,
      },
      500,
    ),
  );
  const blobs = join(store, 'blobs', 'sha256');
  mkdirSync(blobs, { recursive: true });
  for (const { image } of images) {
    const manifest = join(blobs, hexOf(digestOf(image)));
    writeFileSync(manifest, image);
    utimesSync(manifest, SOURCE_DATE_EPOCH, SOURCE_DATE_EPOCH);
  }
  mkdirSync(join(tests(series), '..'), { recursive: true });
  writeFileSync(join(store, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  const lines = images.map(({ image }) => {
    const key = expectationsKey(project.graph.images.get(image)!);
    return `${image}@${digestOf(image)} ${key}\n`;
  });
  writeFileSync(tests(series), `ccp-tests 2\n${lines.join('')}`);
}
