import { platform, series, type Digest } from '#core';
import { setsRepository, writeArtifact, type Place } from '../publish/place.ts';
import { setArtifact } from '../publish/set-artifact.ts';
import { signManifest } from '../publish/statements.ts';
import type { Signer } from '../sign/keys.ts';
import type { ImageSet } from '../types.ts';

/** Publishes a signed set without images; `reason` makes its digest unique. */
export async function publishEmptySet(
  place: Place,
  signer: Signer,
  reason: string,
): Promise<{ readonly set: ImageSet; readonly digest: Digest }> {
  const set: ImageSet = {
    format: 2,
    series: series('2026.1'),
    platform: platform('linux/amd64'),
    overrides: [{ requirement: 'a==1', reason, expires: '2026-12-31' }],
    images: [],
  };
  const artifact = setArtifact(set);
  const repository = setsRepository(place);
  await writeArtifact(place, repository, artifact);
  const { digest, manifest } = artifact;
  await signManifest(place, { repository, digest, size: manifest.length }, signer);
  return { set, digest };
}
