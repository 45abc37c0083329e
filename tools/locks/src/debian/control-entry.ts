import { CcpError, type Sha256 } from '#core';
import type { DebianPackage } from '../types.ts';
import type { PackageEntry } from './package-lists.ts';

/**
 * Reads the file `control` of each package by SHA-256, from the cache or from the mirrors' pool.
 * Reads no package whose bytes do not have the locked hash, and raises an error if one of them
 * cannot be read.
 */
export type ReadControls = (
  packages: readonly DebianPackage[],
) => Promise<ReadonlyMap<Sha256, string>>;

/** Fields that are taken from the lock, and fields of dpkg's status. */
const REPLACED = new Set([
  'package',
  'version',
  'architecture',
  'filename',
  'size',
  'sha256',
  'sha1',
  'md5sum',
  'status',
  'conffiles',
]);
const FIELD = /^([!-9;-~]+):[ \t]*(.*)$/;
const UNUSUAL = /[\0-\u0008\u000b-\u001f\u007f]/;

/**
 * The entry of a locked package from its own control file, as the package lists had it. Raises
 * `package-invalid` if the file is not one paragraph of fields, or names another package than the
 * lock.
 */
export function controlEntry(item: DebianPackage, control: string): PackageEntry {
  const invalid = (why: string): CcpError =>
    new CcpError({
      code: 'package-invalid',
      message: `the control file of ${item.name} ${item.version} (${item.sha256}) ${why}`,
      hint: `lock another version of ${item.name}: "ccp lock --update" for the image whose lock lists it`,
    });
  const text = control.trimEnd();
  if (UNUSUAL.test(text)) throw invalid('has control characters');
  const fields = new Map<string, string>();
  const kept: string[] = [];
  let keeps = false;
  for (const line of text.split('\n')) {
    if (/^[ \t]+\S/.test(line) && fields.size > 0) {
      if (keeps) kept.push(line);
      continue;
    }
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) throw invalid('is not one paragraph of fields');
    const key = name.toLowerCase();
    if (fields.has(key)) throw invalid(`has the field ${name} twice`);
    fields.set(key, value.trim());
    keeps = !REPLACED.has(key);
    if (keeps) kept.push(line);
  }
  for (const key of ['name', 'version', 'architecture'] as const) {
    const found = fields.get(key === 'name' ? 'package' : key);
    if (found !== item[key])
      throw invalid(
        `says ${JSON.stringify(found ?? '')}, and the lock ${JSON.stringify(item[key])}`,
      );
  }
  return {
    package: item,
    stanza: [
      `Package: ${item.name}`,
      `Version: ${item.version}`,
      `Architecture: ${item.architecture}`,
      ...kept,
      `Filename: ${item.pool}`,
      `Size: ${item.size}`,
      `SHA256: ${item.sha256}`,
    ].join('\n'),
  };
}
