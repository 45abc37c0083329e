import { expect, it } from 'vitest';
import { digestOf, hexOf } from '#core';
import { memoryRegistry } from '#ports/testing';
import { newKeyPair, signerOf } from '../index.ts';
import { MANIFEST_TYPE } from '../oci.ts';
import { layersIn, writeSimpleSignature } from './simple-tag.ts';

const signer = signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);
const digest = digestOf('an image');
const kept = { mediaType: 'text/plain', digest, size: 1 };

it('drops layers of a signature tag that are not descriptors', async () => {
  const registry = memoryRegistry();
  const tag = `sha256-${hexOf(digest)}.sig`;
  const layers = [null, 1, { ...kept, size: '1' }, { ...kept, annotations: { a: 1 } }, kept];
  const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, layers }));
  await registry.writeManifest('ccp/base', tag, MANIFEST_TYPE, bytes);
  await writeSimpleSignature(
    { registry, prefix: 'ccp' },
    { repository: 'ccp/base', digest },
    signer,
  );
  const written = await registry.readManifest('ccp/base', tag);
  expect(layersIn(written!.bytes).map(({ mediaType }) => mediaType)).toEqual([
    'text/plain',
    'application/vnd.dev.cosign.simplesigning.v1+json',
  ]);
});
