import {
  canonicalJson,
  hexOf,
  isRecord,
  messageOf,
  parseJson,
  type Digest,
  type Json,
} from '#core';
import type { PublicKey, Signer } from './keys.ts';

/** The media type of a sigstore bundle. */
export const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
/** The predicate of a signature, as cosign 3 writes it. */
export const SIGNATURE = 'https://sigstore.dev/cosign/sign/v1';
/** The reason if a bundle has signatures of other keys only. */
export const UNKNOWN_KEY = 'no trusted key signed it';
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
const STATEMENT = 'https://in-toto.io/Statement/v1';

/** A statement about one manifest. */
export interface Statement {
  readonly subject: Digest;
  readonly predicateType: string;
  readonly predicate: Json;
}

/**
 * A sigstore bundle: a signed statement. Equal statements have equal bundles with an Ed25519 key.
 */
export function bundleOf(signer: Signer, { subject, predicateType, predicate }: Statement): string {
  const payload = Buffer.from(
    canonicalJson({
      _type: STATEMENT,
      subject: [{ digest: { sha256: hexOf(subject) } }],
      predicateType,
      predicate,
    } as unknown as Json),
  );
  return canonicalJson({
    mediaType: BUNDLE_TYPE,
    verificationMaterial: { publicKey: { hint: signer.key.id }, tlogEntries: [] },
    dsseEnvelope: {
      payload: payload.toString('base64'),
      payloadType: PAYLOAD_TYPE,
      signatures: [{ keyid: '', sig: signer.sign(authenticated(payload)).toString('base64') }],
    },
  } as unknown as Json);
}

/** A checked statement, and the key that signed it. */
export interface CheckedStatement {
  readonly key: PublicKey;
  readonly predicate: Json;
}

/**
 * Checks an untrusted bundle: one of `keys` signed a statement about `subject` with this predicate
 * type. A text is the reason why it proves nothing.
 */
export function checkBundle(
  bytes: Uint8Array,
  keys: readonly PublicKey[],
  { subject, predicateType }: Pick<Statement, 'subject' | 'predicateType'>,
): CheckedStatement | string {
  let bundle: unknown;
  try {
    bundle = parseJson(Buffer.from(bytes).toString());
  } catch (thrown) {
    return messageOf(thrown);
  }
  const envelope = isRecord(bundle) ? bundle['dsseEnvelope'] : undefined;
  if (!isRecord(envelope)) return 'it is not a bundle with a DSSE envelope';
  const { payload: text, payloadType, signatures } = envelope;
  if (payloadType !== PAYLOAD_TYPE)
    return `its payload type is ${JSON.stringify(payloadType)}, not ${PAYLOAD_TYPE}`;
  if (typeof text !== 'string' || !Array.isArray(signatures) || signatures.length > 16)
    return 'its envelope has no payload or no signatures';
  const payload = Buffer.from(text, 'base64');
  const signed = authenticated(payload);
  const key = keys.find((each) =>
    signatures.some((entry: unknown) => {
      const signature = isRecord(entry) ? entry['sig'] : undefined;
      return (
        typeof signature === 'string' && each.isValid(signed, Buffer.from(signature, 'base64'))
      );
    }),
  );
  if (key === undefined) return UNKNOWN_KEY;
  return checkStatement(payload, key, { subject, predicateType });
}

function checkStatement(
  payload: Buffer,
  key: PublicKey,
  { subject, predicateType }: Pick<Statement, 'subject' | 'predicateType'>,
): CheckedStatement | string {
  let statement: unknown;
  try {
    statement = parseJson(payload.toString());
  } catch (thrown) {
    return messageOf(thrown);
  }
  if (!isRecord(statement) || statement['_type'] !== STATEMENT)
    return 'its payload is not an in-toto statement';
  if (statement['predicateType'] !== predicateType)
    return `its predicate type is ${JSON.stringify(statement['predicateType'])}, not ${predicateType}`;
  const subjects = Array.isArray(statement['subject']) ? statement['subject'] : [];
  const isAbout = subjects.some(
    (each: unknown) =>
      isRecord(each) && isRecord(each['digest']) && each['digest']['sha256'] === hexOf(subject),
  );
  if (!isAbout) return `it is a statement about another manifest than ${subject}`;
  return { key, predicate: (statement['predicate'] ?? null) as Json };
}

/** The pre-authentication encoding of DSSE. */
function authenticated(payload: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `),
    payload,
  ]);
}
