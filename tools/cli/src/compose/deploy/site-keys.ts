import { join, resolve } from 'node:path';
import { CcpError, codeOf, fileFault } from '#core';
import type { Site } from '#definitions';
import { readGiven } from '#host';
import { publicKeyOf, setSigner, type PublicKey } from '#release';
import type { NamedImageSet } from './site-app-specs.ts';

const MAX_BYTES = 1 << 20;

/** Path of the signature of a set's file, in the same folder. */
export function signatureFile(set: string): string {
  return `${set}.sigstore.json`;
}

/** The public keys that a site names; none if it names no keys. Throws `key-invalid`. */
export function siteKeys(
  root: string,
  { name, keys = [] }: Pick<Site, 'name' | 'keys'>,
): readonly PublicKey[] {
  return keys.map((key) => {
    const path = join(root, 'deploy-specs', name, key);
    return publicKeyOf(read(path).toString(), `deploy-specs/${name}/${key}`);
  });
}

/**
 * Refuses the image set of a site that names keys, unless the file next to the set has a signature
 * of one of them. Throws `untrusted`, `key-invalid` and errors of reading files.
 */
export function checkSiteKeys(
  root: string,
  site: Pick<Site, 'name' | 'keys'>,
  { file, set, isLast }: NamedImageSet,
): void {
  if (site.keys === undefined) return;
  const keys = siteKeys(root, site);
  const refuse = (why: string): CcpError =>
    new CcpError({
      code: 'untrusted',
      message: `${file} is not trusted: ${why}`,
      hint: `site ${site.name} names keys: write a signed set with \`ccp release show VERSION -o FILE\`, and name it with --set FILE`,
    });
  const signature = signatureFile(isLast ? join(root, file) : resolve(file));
  let bundle: Uint8Array;
  try {
    bundle = readGiven(signature, MAX_BYTES);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') throw refuse(`${signatureFile(file)} does not exist`);
    throw fileFault(thrown, 'read', signature);
  }
  const signer = setSigner(set, bundle, keys);
  if (typeof signer === 'string') throw refuse(`in ${signatureFile(file)}, ${signer}`);
}

function read(path: string): Buffer {
  try {
    return readGiven(path, MAX_BYTES);
  } catch (thrown) {
    throw fileFault(thrown, 'read', path);
  }
}
