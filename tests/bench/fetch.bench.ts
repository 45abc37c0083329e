import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { lockedFilesOf } from '#context';
import { fetchFiles, openCache } from '#fetch';
import { readLock } from '#locks';
import { definitionOf } from '../../tools/cli/src/compose/inputs.ts';
import { openProject } from '../../tools/cli/src/compose/plan.ts';
import { cacheFolder } from '../../tools/cli/src/compose/settings.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { median, report } from './measure.ts';

// Fetches the locked files of a series from a mirror on loopback that answers after 20 ms, into an
// empty cache, and the same files by one curl with as many parallel transfers. The files come from
// the input cache. Both clients share processors and disk with the mirror.
// Usage: fetch.bench.ts [--series S] [--rounds N] [--delay MILLISECONDS]
const { values } = parseArgs({
  options: {
    series: { type: 'string', default: '2026.1' },
    rounds: { type: 'string', default: '3' },
    delay: { type: 'string', default: '20' },
  },
});
const delayMs = Number(values.delay);
const project = openProject(REPOSITORY, values.series);
const source = openCache({ folder: cacheFolder(project.settings) });
const locked = project.graph.order.flatMap((image) =>
  lockedFilesOf(readLock(definitionOf(project, image), project.series.name), 'archive'),
);
const files = [...new Map(locked.map((file) => [file.sha256, file])).values()]
  .filter(({ sha256, size }) => source.sizeOf(sha256) === size)
  .map(({ sha256, size }) => ({
    kind: 'debian' as const,
    archive: 'debian' as const,
    pool: `pool/${sha256}`,
    sha256,
    size,
  }));
const bytes = files.reduce((sum, { size }) => sum + size, 0);

const mirror = new Worker(new URL('./delayed-mirror.ts', import.meta.url), {
  workerData: { cache: source.folder, delayMs },
});
const [port] = (await once(mirror, 'message')) as [number];
const url = `http://127.0.0.1:${port}`;

/** Seconds that `work` takes in an empty folder. */
async function timed(work: (folder: string) => Promise<void> | void): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-fetch-'));
  try {
    const start = performance.now();
    await work(folder);
    return (performance.now() - start) / 1000;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function byCcp(folder: string): Promise<void> {
  const none = () => [];
  await fetchFiles(openCache({ folder }), files, {
    mirrors: {
      debian: () => ({ debian: [url], 'debian-security': [url] }),
      python: none,
      go: none,
      npm: none,
    },
  });
}

function byCurl(parallel: number): (folder: string) => void {
  return (folder) => {
    const list = join(folder, 'list');
    writeFileSync(
      list,
      files
        .map(({ sha256 }) => `url = "${url}/pool/${sha256}"\noutput = "${folder}/${sha256}"\n`)
        .join(''),
    );
    const flags = ['-fsS', '--parallel', '--parallel-max', String(parallel), '-K', list];
    const { status, stderr } = spawnSync('curl', flags, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`curl ended with ${status}: ${stderr}`);
  };
}

const clients = { ccp: byCcp, 'curl, 8 at once': byCurl(8), 'curl, 50 at once': byCurl(50) };
const seconds: Record<string, number[]> = {};
for (let round = 0; round < Number(values.rounds); round++)
  for (const [name, work] of Object.entries(clients))
    (seconds[name] ??= []).push(await timed(work));
await mirror.terminate();

for (const [name, rounds] of Object.entries(seconds)) {
  const middle = median(rounds);
  const rate = bytes / 1e6 / middle;
  process.stdout.write(`${name.padEnd(17)} ${middle.toFixed(1)} s, ${rate.toFixed(0)} MB/s\n`);
}
report('fetch', {
  series: values.series,
  files: files.length,
  bytes,
  delayMs,
  load: loadavg()[0],
  seconds,
});
