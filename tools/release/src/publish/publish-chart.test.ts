import { expect, it } from 'vitest';
import { memoryRegistry } from '#ports/testing';
import { newKeyPair, signerOf } from '../sign/keys.ts';
import { SIGNATURE } from '../sign/envelope.ts';
import { chartArtifact, publishChart } from './publish-chart.ts';
import { findStatement } from './statements.ts';

const signer = signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);
const chart = {
  name: 'identity',
  version: '2026.1.0',
  metadata: { apiVersion: 'v2', name: 'identity', version: '2026.1.0' },
  archive: Buffer.from('archive'),
};

it('publishes a chart with the media types of Helm, and signs it', async () => {
  const place = { registry: memoryRegistry(), prefix: 'charts' };
  const { repository, digest } = await publishChart(place, chart, signer);
  expect([repository, digest]).toEqual(['charts/identity', chartArtifact(chart).digest]);
  const { bytes } = (await place.registry.readManifest(repository, '2026.1.0'))!;
  expect(JSON.parse(Buffer.from(bytes).toString())).toMatchObject({
    config: { mediaType: 'application/vnd.cncf.helm.config.v1+json' },
    layers: [{ mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', size: 7 }],
  });
  const statement = await findStatement(place, { repository, digest }, [signer.key], {
    predicateType: SIGNATURE,
  });
  expect(statement).toMatchObject({ predicate: {} });
});

it('does not replace a chart that another run published meanwhile', async () => {
  const registry = memoryRegistry();
  const place = { registry, prefix: 'charts' };
  const slow: typeof registry = {
    ...registry,
    writeBlob: async (...args) => {
      await registry.writeBlob(...args);
      await publishChart(place, chart, undefined);
    },
  };
  const other = { ...chart, archive: Buffer.from('other') };
  await expect(publishChart({ ...place, registry: slow }, other, undefined)).rejects.toMatchObject({
    code: 'release-exists',
  });
  expect(await registry.manifestDigest('charts/identity', '2026.1.0')).toBe(
    chartArtifact(chart).digest,
  );
});

it('never changes the content of a version', async () => {
  const place = { registry: memoryRegistry(), prefix: 'charts' };
  const { digest } = await publishChart(place, chart, undefined);
  await publishChart(place, chart, undefined);
  await expect(
    publishChart(place, { ...chart, archive: Buffer.from('other') }, undefined),
  ).rejects.toMatchObject({
    code: 'release-exists',
    message: expect.stringContaining(
      `charts/identity:2026.1.0 is another chart: ${digest}`,
    ) as string,
    hint: 'use the next number: --number',
  });
});
