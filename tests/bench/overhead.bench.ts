import { randomUUID } from 'node:crypto';
import { createWriteStream, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { readLock } from '#locks';
import { definitionOf, openImageContext } from '../../tools/cli/src/compose/inputs.ts';
import { openProject, planProject } from '../../tools/cli/src/compose/plan.ts';
import { imageExpectations } from '../../tools/cli/src/compose/image-expectations.ts';
import { ccp } from '../helpers/ccp.ts';
import { testWorkspace } from '../helpers/workspace.ts';
import type { BareCalls, BareImage } from './bare-build.ts';
import { median, report } from './measure.ts';

// What `ccp build` costs over the engine: 60 trivial images on a base that is built, without cache, by `ccp build` and then by a bare
// script that makes the same engine calls (build, push, pull of the stored image, test containers, untag) in the same order, two at a
// time, and nothing else: no plan, no normalising, no layout, no records. Each is a process, timed from its start to its end; the
// script finds its contexts as tars. The stored images that it pulls are those that `ccp build` just made; the engine forgot them, so
// both pull the same bytes. Each builds files of its own, of the same size: BuildKit keeps a context that it has seen, also where it
// builds without cache, and would spare the second of two a tenth of the time. Test containers take one time or another by a tenth,
// so the figure is the median of the rounds' own ratios.
const IMAGES = 60;
const AT_ONCE = 2;
const ROUNDS = 5;
const endpoint =
  process.env['CCP_ENGINE'] ?? process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';

const workspace = testWorkspace();
workspace.take('images/debian-base', 'images/_shared', 'images/series.yaml');
const names = Array.from({ length: IMAGES }, (_, index) => `trivial-${index + 1}`);
for (const [position, name] of names.entries()) {
  const index = position + 1;
  const parent = index <= 6 ? 'debian-base' : `trivial-${Math.floor((index - 1) / 6)}`;
  workspace.write(
    `images/${name}/image.yaml`,
    `title: Trivial ${index}\ndescription: One file.\nroot: a benchmark\nparents: { base: ${parent} }\n`,
  );
  workspace.write(
    `images/${name}/Dockerfile.njk`,
    'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nCOPY files /opt/\n',
  );
}

/** Files that no engine has seen, of an earlier measurement neither. */
function newFiles(): void {
  for (const name of names) workspace.write(`images/${name}/files/${name}`, `${randomUUID()}\n`);
}

newFiles();
for (const args of [
  ['lock', ...names],
  ['build', 'debian-base', '--engine', endpoint],
]) {
  const { exitCode, stderr } = await ccp(workspace.root, args);
  if (exitCode !== 0) throw new Error(stderr);
}

async function bare(): Promise<number> {
  const stored = planProject(openProject(workspace.root, undefined), []);
  const digests = new Map(stored.images.map(({ image, digest }) => [image, digest!]));
  newFiles();
  const project = openProject(workspace.root, undefined);
  const plan = planProject(project, []);
  const images: BareImage[] = [];
  for (const {
    image,
    fingerprint,
    record,
    parents: { base },
  } of plan.images) {
    if (!names.includes(image)) continue;
    const definition = definitionOf(project, image);
    const context = join(workspace.root, '.ccp', `${image}.tar`);
    const { open } = await openImageContext(project, record, plan.origin);
    await pipeline(open(), createWriteStream(context));
    const { series, platform, labels } = record;
    images.push({
      identity: { image, fingerprint, series, platform, labels, contentKey: '' },
      parent: { image: base!, digest: digests.get(base!)! },
      context,
      digest: digests.get(image)!,
      expected: imageExpectations(definition, readLock(definition, series)),
    });
  }
  const calls: BareCalls = { endpoint, store: project.paths.store, atOnce: AT_ONCE, images };
  const file = join(workspace.root, '.ccp', 'calls.json');
  writeFileSync(file, JSON.stringify(calls));
  const start = performance.now();
  const { status } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'bare-build.ts'), file],
    { stdio: 'inherit' },
  );
  if (status !== 0) throw new Error(`the bare script ended with ${status}`);
  return (performance.now() - start) / 1000;
}

async function whole(): Promise<number> {
  const start = performance.now();
  const { exitCode, stderr } = await ccp(workspace.root, [
    'build',
    '--no-cache',
    '--offline',
    '--engine',
    endpoint,
    '--jobs',
    String(AT_ONCE),
  ]);
  if (exitCode !== 0) throw new Error(stderr);
  return (performance.now() - start) / 1000;
}

const rounds: { bare: number; ccp: number }[] = [];
try {
  for (let round = 0; round < ROUNDS; round++) {
    newFiles();
    const ccp = await whole();
    rounds.push({ bare: await bare(), ccp });
  }
} finally {
  workspace.remove();
}
const overhead = median(rounds.map((round) => round.ccp / round.bare)) - 1;
const usual = (what: 'bare' | 'ccp'): string =>
  `${median(rounds.map((round) => round[what])).toFixed(1)} s`;
const summary = `bare script ${usual('bare')} | ccp build ${usual('ccp')} | overhead ${(overhead * 100).toFixed(1)} % (at most 5 %)`;
process.stdout.write(`${IMAGES} trivial images, medians of ${ROUNDS} rounds: ${summary}\n`);
report('overhead', {
  images: IMAGES,
  atOnce: AT_ONCE,
  rounds,
  overhead: Number(overhead.toFixed(3)),
});
