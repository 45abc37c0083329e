import { canonicalJson, type Digest, type Json } from '#core';
import { blobOf, type Blob } from '../oci.ts';
import type { Signer } from './keys.ts';

const PAYLOAD_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';
const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json';
/** The annotation with the signature, in Base64. */
export const SIGNATURE_NOTE = 'dev.cosignproject.cosign/signature';

/** The payload of simple signing for a manifest; `reference` is `HOST/REPOSITORY`. */
export function simplePayload(subject: Digest, reference: string): string {
  return canonicalJson({
    critical: {
      identity: { 'docker-reference': reference },
      image: { 'docker-manifest-digest': subject },
      type: 'cosign container image signature',
    },
    optional: null,
  } as unknown as Json);
}

/** A signature as a layer of the tag `sha256-HEX.sig`, for cosign 2, podman and CRI-O. */
export function simpleSignature(signer: Signer, subject: Digest, reference: string): Blob {
  const payload = simplePayload(subject, reference);
  return blobOf(payload, PAYLOAD_TYPE, {
    [SIGNATURE_NOTE]: signer.sign(Buffer.from(payload)).toString('base64'),
  });
}

/** The config of the tag's manifest, in the form that cosign writes. */
export function simpleConfig(layers: readonly { readonly digest: Digest }[]): Blob {
  const created = '0001-01-01T00:00:00Z';
  return blobOf(
    canonicalJson({
      architecture: '',
      config: {},
      created,
      history: layers.map(() => ({ created })),
      os: '',
      rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
    } as unknown as Json),
    CONFIG_TYPE,
  );
}
