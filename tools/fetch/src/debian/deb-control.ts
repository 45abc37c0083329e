import { CcpError, messageOf, type Sha256 } from '#core';
import { readTar } from '#formats/tar';
import type { Cache } from '../cache/cache.ts';
import type { FetchOptions } from '../download/fetch.ts';
import { fetchFiles } from '../download/fetch-files.ts';
import { lockedFileName, type LockedFile } from '../locked-file.ts';
import { debTar } from './deb-data.ts';

/** Limits of a package's control data: Debian's largest has less than 4 MiB in 300 files. */
const MAX_UNPACKED = 64 << 20;
const MAX_ENTRIES = 10_000;
const MAX_CONTROL = 1 << 20;

/**
 * The file `control` of a .deb. Throws a `RangeError` if the package does not follow deb(5) or is
 * larger than the limits, and the decoder's error if its control data is damaged.
 */
export async function debControl(deb: Uint8Array): Promise<string> {
  let control: string | undefined;
  const tar = debTar(deb, 'control.tar', MAX_UNPACKED);
  for await (const { header, data = [] } of readTar(tar, MAX_ENTRIES)) {
    const found = header.path === 'control' && header.type === 'file';
    if (found && control !== undefined) throw new RangeError('it has two files "control"');
    if (found && header.size > MAX_CONTROL)
      throw new RangeError(`its file "control" has more than ${MAX_CONTROL} bytes`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of data) if (found) chunks.push(chunk);
    if (found) control = utf8(Buffer.concat(chunks));
  }
  if (control === undefined) throw new RangeError('it has no file "control"');
  return control;
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RangeError('its file "control" is not UTF-8', { cause });
  }
}

/**
 * The control files of these packages, by SHA-256. Missing packages are fetched; no byte is read
 * whose package does not have the locked hash. Raises the errors of `fetchFiles`, and
 * `package-invalid`.
 */
export async function fetchControls(
  cache: Cache,
  debs: readonly Extract<LockedFile, { readonly kind: 'debian' }>[],
  options: FetchOptions,
): Promise<ReadonlyMap<Sha256, string>> {
  await fetchFiles(cache, debs, options);
  const controls = new Map<Sha256, string>();
  for (const deb of debs) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of cache.open(deb.sha256)) chunks.push(chunk);
    try {
      controls.set(deb.sha256, await debControl(Buffer.concat(chunks)));
    } catch (cause) {
      throw new CcpError({
        code: 'package-invalid',
        message: `the package ${lockedFileName(deb)} (${deb.sha256}) cannot be read: ${messageOf(cause)}`,
        hint: 'lock a newer version of it: "ccp lock --update" for the image whose lock lists it',
        cause,
      });
    }
  }
  return controls;
}
