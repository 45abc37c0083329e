import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { canonicalJson, CcpError, isRecord, mapRecord, parseJson, type Json } from '#core';
import { readBounded } from '#host';
import { publicKeyOf, type PublicKey, type Signer } from '#release';
import { backupFile } from './backup-folder.ts';

/** File of an exported backup with the SHA-256 of all other files, and a signature of them. */
const FILE = 'signature.json';
const MAX_SIGNATURE = 1 << 20;
/** Public key in the folder of a site; its private key must have signed exported backups. */
const KEY = 'backup-signer.pub';

/** The site and the name of a signed backup: NAME.TIME. */
interface Signed {
  readonly site: string;
  readonly name: string;
}

/** Writes the signature of all files of a folder. */
export async function signBackup(folder: string, signed: Signed, signer: Signer): Promise<void> {
  const files = await sumsOf(folder);
  const signature = signer.sign(bytesOf(signed, files)).toString('base64');
  writeFileSync(join(folder, FILE), `${JSON.stringify({ format: 1, files, signature })}\n`, {
    mode: 0o600,
  });
}

/**
 * The key that signs the backups of a site; `undefined` if the site has none. Throws
 * `key-invalid`.
 */
export function backupSigner(root: string, site: string): PublicKey | undefined {
  const file = join(root, 'deploy-specs', site, KEY);
  return existsSync(file)
    ? publicKeyOf(readFileSync(file, 'utf8'), `deploy-specs/${site}/${KEY}`)
    : undefined;
}

/**
 * Checks that a key signed an exported backup: all its files, its name and its site. Throws
 * `untrusted`.
 */
export async function checkBackupSignature(
  folder: string,
  signed: Signed,
  key: PublicKey,
): Promise<void> {
  const refuse = (why: string): CcpError =>
    new CcpError({
      code: 'untrusted',
      message: `${folder} is not trusted: ${why}`,
      hint: `site ${signed.site} names a key in ${key.name}: use a backup that was exported with --sign-key and its private key`,
    });
  if (!existsSync(join(folder, FILE))) throw refuse(`it has no ${FILE}`);
  const { files, signature } = parse(
    readBounded(backupFile(folder, FILE), MAX_SIGNATURE).toString(),
  );
  if (files === undefined || signature === undefined) throw refuse(`${FILE} is not in format 1`);
  if (!key.isValid(bytesOf(signed, files), Buffer.from(signature, 'base64')))
    throw refuse(
      `${FILE} is not a signature of this key about the backup ${signed.name} of ${signed.site}`,
    );
  const found = await sumsOf(folder);
  const names = [...new Set([...Object.keys(files), ...Object.keys(found)])].sort();
  const changed = names.filter((name) => files[name] !== found[name]);
  if (changed.length > 0) throw refuse(`${changed.join(', ')} changed since it was signed`);
}

function bytesOf({ site, name }: Signed, files: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(canonicalJson({ purpose: 'ccp backup', site, name, files } satisfies Json));
}

function parse(text: string): {
  readonly files?: Readonly<Record<string, string>>;
  readonly signature?: string;
} {
  try {
    const found = parseJson(text);
    if (!isRecord(found) || found['format'] !== 1 || !isRecord(found['files'])) return {};
    const signature = found['signature'];
    return typeof signature === 'string'
      ? { files: mapRecord(found['files'], String), signature }
      : {};
  } catch {
    return {};
  }
}

/** SHA-256 of each file of a folder except the signature. */
async function sumsOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const sums: Record<string, string> = {};
  for (const name of readdirSync(folder).sort()) {
    if (name === FILE) continue;
    const hash = createHash('sha256');
    await pipeline(createReadStream(backupFile(folder, name)), hash);
    sums[name] = hash.digest('hex');
  }
  return sums;
}
