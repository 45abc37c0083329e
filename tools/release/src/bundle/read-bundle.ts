import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { extract } from 'tar-stream';
import { CcpError, isDigest, isRecord, messageOf, parseJson } from '#core';

/** The content of a checked archive. */
export interface BundleContent {
  /** Names of manifests in the archive's index. */
  readonly names: readonly string[];
  readonly blobs: number;
  /** Bytes of all blobs. */
  readonly bytes: number;
}

const MAX_INDEX = 16 << 20;
const BLOB = /^(?:\.\/)?blobs\/sha256\/([0-9a-f]{64})$/;

/**
 * Reads an archive of `writeBundle`: every blob must have its digest, and every manifest of the
 * index must be there, with a name of its own. Throws `bundle-invalid`.
 */
export async function readBundle(file: string): Promise<BundleContent> {
  const blobs = new Set<string>();
  let bytes = 0;
  let index: Buffer | undefined;
  const archive = extract();
  const source = createReadStream(file, { highWaterMark: 1 << 20 });
  source.on('error', (error) => archive.destroy(error));
  source.pipe(archive);
  try {
    for await (const entry of archive) {
      const { name } = entry.header;
      // tar-stream 3.2.2 has `null` for a size that it cannot read, and never ends such a member.
      if (!Number.isSafeInteger(entry.header.size))
        throw invalid(file, `${JSON.stringify(name)} has an invalid size`);
      // tar-stream 3.2.2 never ends the content of a folder that has a size.
      if (entry.header.type === 'directory') {
        entry.resume();
        continue;
      }
      const hash = createHash('sha256');
      const kept: Buffer[] = [];
      let size = 0;
      for await (const chunk of entry as AsyncIterable<Buffer>) {
        size += chunk.length;
        hash.update(chunk);
        if (name.endsWith('index.json') && size <= MAX_INDEX) kept.push(chunk);
      }
      const hex = BLOB.exec(name)?.[1];
      if (hex !== undefined) {
        if (hash.digest('hex') !== hex) throw invalid(file, `blob sha256:${hex} has other bytes`);
        blobs.add(`sha256:${hex}`);
        bytes += size;
      } else if (/^(?:\.\/)?index\.json$/.test(name)) index = Buffer.concat(kept);
    }
  } catch (thrown) {
    if (thrown instanceof CcpError) throw thrown;
    throw invalid(file, messageOf(thrown));
  }
  if (index === undefined) throw invalid(file, 'it has no index.json');
  const names = manifestsIn(index, file).map(({ digest, name }) => {
    if (!blobs.has(digest)) throw invalid(file, `manifest ${digest} is missing`);
    return name;
  });
  const given = names.filter((name) => name !== '');
  const seen = new Set<string>();
  const twice = given.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined) throw invalid(file, `its index names ${twice} twice`);
  return { names: given, blobs: blobs.size, bytes };
}

function manifestsIn(
  index: Buffer,
  file: string,
): readonly { readonly digest: string; readonly name: string }[] {
  let value: unknown;
  try {
    value = parseJson(index.toString());
  } catch (thrown) {
    throw invalid(file, messageOf(thrown));
  }
  const manifests: unknown = isRecord(value) ? value['manifests'] : undefined;
  if (!Array.isArray(manifests)) throw invalid(file, 'its index has no manifests');
  return manifests.map((entry: unknown) => {
    const { digest, annotations } = isRecord(entry) ? entry : {};
    if (typeof digest !== 'string' || !isDigest(digest))
      throw invalid(file, 'its index has a manifest without a digest');
    const name = isRecord(annotations) ? annotations['org.opencontainers.image.ref.name'] : '';
    return { digest, name: typeof name === 'string' ? name : '' };
  });
}

function invalid(file: string, why: string): CcpError {
  return new CcpError({
    code: 'bundle-invalid',
    message: `${file} is not a bundle: ${why}`,
    hint: 'write it again: ccp release bundle',
  });
}
