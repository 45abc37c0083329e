import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openProject, planProject } from '../../tools/cli/src/compose/plan.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { buildElsewhere, must, type ElsewhereBuild } from './build-elsewhere.ts';
import { digestRows, isEqual, mergeRows, recordedRows } from './digest-rows.ts';
import { report } from './measure.ts';

// Builds images and their ancestors twice without engine cache: on the installed engine, and on the
// engine of another Debian release, by another user, with another umask, locale, time zone and
// path. Names the files that differ. Exits with 1 if a digest differs or an image is missing.
// The record has the digests of both engines from the moment that an image is built; rows of
// earlier runs stay while the fingerprint is the same. Commit changes first: clones are built.
// Usage: reproducible.bench.ts [--series S] [--release SUITE] [--first WORKSPACE] [--work FOLDER]
//   [IMAGE...]
// Without names it builds all images. --first compares with the images in a workspace's store,
// built there by the installed engine, instead of a first build. --work keeps engines, caches and
// built images in a folder, and continues there.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    series: { type: 'string', default: '2026.1' },
    release: { type: 'string', default: 'trixie' },
    first: { type: 'string' },
    work: { type: 'string' },
  },
});
const { series, release } = values;
const name = `reproducible-${series}`;
const NOBODY = 65534;

const project = openProject(REPOSITORY, series);
const all = planProject(project, []).images;
const wanted = planProject(project, positionals).images;
const work = values.work ?? mkdtempSync(join(tmpdir(), 'ccp-reproducible-'));
const shared = { images: positionals, series, onProgress: () => undefined };
try {
  const first = values.first === undefined ? await buildFirst() : installed(values.first);
  const second = await build('second', {
    ...shared,
    name: 'second tree',
    user: NOBODY,
    release,
    umask: '077',
    env: { TZ: 'Pacific/Auckland', LC_ALL: 'C' },
    onProgress: (tree, engine) => record(first, tree, engine),
  });
  conclude(first, second);
} finally {
  if (values.work === undefined) rmSync(work, { recursive: true, force: true });
}

type First = Pick<ElsewhereBuild, 'tree' | 'engine'> & { readonly cached: boolean };

async function build(
  part: string,
  options: Omit<Parameters<typeof buildElsewhere>[0], 'folder'>,
): Promise<ElsewhereBuild> {
  return buildElsewhere({ ...options, folder: join(work, part) });
}

async function buildFirst(): Promise<First> {
  const built = await build('first', {
    ...shared,
    name: 'first',
    umask: '022',
    env: { TZ: 'UTC' },
  });
  return { ...built, cached: false };
}

/** The workspace's store, and the version of the installed engine, such as 20.10.24+dfsg1. */
function installed(tree: string): First {
  const text = must('dockerd', ['--version']);
  const engine = /version ([^\s,]+)/u.exec(text)?.[1];
  if (engine === undefined) throw new Error(`dockerd --version printed ${text}`);
  return { tree, engine, cached: true };
}

/** Writes the rows of all images with the current fingerprint; returns them. */
function record(first: First, tree: string, engine: string): ReturnType<typeof mergeRows> {
  const rows = mergeRows(all, recordedRows(name), digestRows(wanted, first.tree, tree));
  report(name, {
    series,
    images: all.length,
    equal: rows.filter(isEqual).length,
    engines: [first.engine, engine],
    engineCache: [first.cached, false],
    rows,
  });
  return rows;
}

function conclude(first: First, second: ElsewhereBuild): void {
  const rows = record(first, second.tree, second.engine);
  for (const row of rows)
    process.stdout.write(
      `${row.image.padEnd(20)} ${isEqual(row) ? `equal ${row.second}` : `DIFFERS ${row.first} ${row.second}`}\n`,
    );
  for (const row of digestRows(wanted, first.tree, second.tree)) {
    if (isEqual(row) || row.first === undefined || row.second === undefined) continue;
    const images = [
      [first.tree, row.first],
      [second.tree, row.second],
    ].map(([tree, digest]) => `oci:${join(tree!, '.ccp/store')}@${digest}`);
    spawnSync(join(REPOSITORY, 'ccp'), ['diff-image', ...images], { stdio: 'inherit' });
  }
  const equal = rows.filter(isEqual).length;
  const engines = `${first.engine} and ${second.engine}`;
  process.stdout.write(`${equal} of ${all.length} images have one digest on ${engines}\n`);
  process.exitCode = second.exitCode === 0 && equal === rows.length ? 0 : 1;
}
