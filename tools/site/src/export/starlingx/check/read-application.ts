import { gunzipSync } from 'node:zlib';
import { readTar } from '#formats/tar';
import type { Findings } from './findings.ts';

/** Limits in bytes for tarballs of others, which may be bombs. */
const MAX_TAR = 1 << 30;
const MAX_CHART = 1 << 26;
/** All charts together. */
const MAX_CHARTS = 1 << 28;
const MAX_ENTRIES = 100_000;
const GZIP = [0x1f, 0x8b];

/** The files of an application by path, without a leading `./`. */
export interface ApplicationContent {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** By the path of their archive. */
  readonly charts: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;
}

/**
 * Unpacks a tarball and its charts in memory. Adds findings for anything that tar would not unpack
 * as a file or folder, and for charts that exceed a limit; returns undefined if it is not a tarball
 * at all. `maxCharts` is the limit for all charts together, in bytes.
 */
export async function readApplication(
  tarball: Uint8Array,
  found: Findings,
  maxCharts = MAX_CHARTS,
): Promise<ApplicationContent | undefined> {
  const files = await unpack(tarball, '', MAX_TAR, found);
  if (files === undefined) return undefined;
  const charts = new Map<string, ReadonlyMap<string, Uint8Array>>();
  let left = maxCharts;
  for (const [path, data] of files) {
    if (!/^charts\/.*\.tgz$/.test(path)) continue;
    const chart = await unpack(data, path, Math.min(MAX_CHART, left), found);
    if (chart !== undefined) charts.set(path, chart);
    // At least 1: zlib refuses a limit of 0.
    left = Math.max(1, left - sizeOf(chart));
  }
  return { files, charts };
}

function sizeOf(chart: ReadonlyMap<string, Uint8Array> = new Map()): number {
  return [...chart.values()].reduce((sum, { length }) => sum + length, 0);
}

async function unpack(
  archive: Uint8Array,
  path: string,
  maxOutputLength: number,
  found: Findings,
): Promise<Map<string, Uint8Array> | undefined> {
  const what = path === '' ? 'the tarball' : 'the chart';
  const files = new Map<string, Uint8Array>();
  try {
    const isGzip = GZIP.every((byte, index) => archive[index] === byte);
    const tar = isGzip ? gunzipSync(archive, { maxOutputLength }) : archive;
    for await (const { header, data } of readTar([tar], MAX_ENTRIES)) {
      const parts: Uint8Array[] = [];
      for await (const part of data ?? []) parts.push(part);
      if (header.type === 'file') files.set(header.path, Buffer.concat(parts));
      else if (header.type !== 'directory')
        found.error(
          'links',
          path === '' ? header.path : `${path}#${header.path}`,
          `it is a ${header.type}`,
          'write files and folders only: a link could lead out of the folder of the application',
        );
      const needed = header.type === 'directory' ? 0o700 : 0o400;
      if ((header.mode & needed) !== needed && header.type !== 'symlink')
        found.error(
          'modes',
          path === '' ? header.path : `${path}#${header.path}`,
          `its owner cannot read it (mode ${header.mode.toString(8)})`,
          'pack files with mode 644 and folders with mode 755',
        );
    }
  } catch (thrown) {
    found.error(
      'unpack',
      path,
      `${what} cannot be unpacked: ${(thrown as Error).message}`,
      'pack it with `tar -czf`, with paths below "./"',
    );
    return undefined;
  }
  if (files.size > 0) return files;
  found.error('unpack', path, `${what} has no files`, 'pack the folder of the application');
  return undefined;
}
