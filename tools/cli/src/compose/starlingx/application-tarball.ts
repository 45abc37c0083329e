import { createHash } from 'node:crypto';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { pack, type Headers } from 'tar-fs';
import type { Application } from '#site';
import { chartArchive } from '../deploy/chart-archive.ts';

/**
 * The tarball of an application with its charts and the MD5 sums of its files. Paths start with
 * `./`, as StarlingX's own tools pack them; times and owners are left out, so equal applications
 * have equal bytes.
 */
export async function applicationTarball(application: Application): Promise<Buffer> {
  const charts = await Promise.all(
    application.charts.map(async ({ name, version, files }) => ({
      path: `charts/${name}-${version}.tgz`,
      data: await chartArchive(name, files),
    })),
  );
  const files = [
    ...application.files.map(({ path, text }) => ({ path, data: Buffer.from(text) })),
    ...charts,
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  const sums = files.map(
    ({ path, data }) => `${createHash('md5').update(data).digest('hex')}  ./${path}\n`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'ccp-application-'));
  try {
    for (const { path, data } of [
      ...files,
      { path: 'checksum.md5', data: Buffer.from(sums.join('')) },
    ]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), data);
    }
    const parts: Buffer[] = [];
    for await (const part of packed(folder)) parts.push(part);
    return gzipSync(Buffer.concat(parts), { level: 9 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function packed(folder: string): AsyncIterable<Buffer> {
  const map = (header: Headers): Headers => ({
    ...header,
    name: header.name === '.' ? './' : `./${header.name}`,
    mode: header.type === 'directory' ? 0o755 : 0o644,
    mtime: new Date(0),
    uid: 0,
    gid: 0,
  });
  return pack(folder, { sort: true, map } as Parameters<
    typeof pack
  >[1]) as unknown as AsyncIterable<Buffer>;
}
