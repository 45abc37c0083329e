import { CcpError, canonicalJson, digestOf, type Digest, type Json } from '#core';
import { blobOf, MANIFEST_TYPE, type Artifact } from '../oci.ts';
import type { Signer } from '../sign/keys.ts';
import { readBack, repositoryOf, writeArtifact, type Place } from './place.ts';
import { signManifest } from './statements.ts';

/** A Helm chart to publish. */
export interface ChartArchive {
  readonly name: string;
  readonly version: string;
  /** Content of Chart.yaml. */
  readonly metadata: Json;
  /** The chart as a compressed tar. */
  readonly archive: Uint8Array;
}

/** The OCI artifact that Helm pulls. It has no time, so equal charts have one digest. */
export function chartArtifact({ name, version, metadata, archive }: ChartArchive): Artifact {
  const config = blobOf(canonicalJson(metadata), 'application/vnd.cncf.helm.config.v1+json');
  const layer = blobOf(archive, 'application/vnd.cncf.helm.chart.content.v1.tar+gzip');
  const manifest = Buffer.from(
    canonicalJson({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: config.descriptor,
      layers: [layer.descriptor],
      annotations: {
        'org.opencontainers.image.title': name,
        'org.opencontainers.image.version': version,
      },
    } as unknown as Json),
  );
  return { digest: digestOf(manifest), manifest, blobs: [config, layer] };
}

/**
 * Publishes a chart as `PREFIX/NAME:VERSION` and signs it like an image set. A version never gets
 * another content. Throws `release-exists`, `publish-lost` and the errors of the registry.
 */
export async function publishChart(
  place: Place,
  chart: ChartArchive,
  signer: Signer | undefined,
): Promise<{ readonly repository: string; readonly digest: Digest }> {
  const { registry } = place;
  const repository = repositoryOf(place, chart.name);
  const artifact = chartArtifact(chart);
  const { digest, manifest } = artifact;
  const checkVersion = async (): Promise<void> => {
    const found = await registry.manifestDigest(repository, chart.version);
    if (found === undefined || found === digest) return;
    throw new CcpError({
      code: 'release-exists',
      message: `${registry.host}/${repository}:${chart.version} is another chart: ${found}`,
      hint: 'use the next number: --number',
    });
  };
  await checkVersion();
  await writeArtifact(place, repository, artifact);
  if (signer !== undefined)
    await signManifest(place, { repository, digest, size: manifest.length }, signer);
  // Another run may have been first.
  await checkVersion();
  await registry.writeManifest(repository, chart.version, MANIFEST_TYPE, manifest);
  await readBack(registry, repository, chart.version, digest);
  return { repository, digest };
}
