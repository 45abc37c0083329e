import pLimit from 'p-limit';
import { testImage } from '#build';
import type { ImageName } from '#core';
import { connectEngine, type DockerEngine } from '#engines';
import { readLock } from '#locks';
import type { PlannedImage } from '#plan';
import { openStore } from '#store';
import { definitionOf, openImageContext } from '../../tools/cli/src/compose-inputs.ts';
import { openProject, planProject } from '../../tools/cli/src/compose.ts';
import { imageExpectations } from '../../tools/cli/src/image-expectations.ts';
import { ccp } from '../support/ccp.ts';
import { testWorkspace } from '../support/workspace.ts';
import { median, report } from './measure.ts';

// What `ccp build` costs over the engine: 60 trivial images on a base that is built, without cache, by `ccp build` and then, from the
// same files, by a bare script that makes the same engine calls (build, push, pull of the stored image, test containers, untag) in
// the same order, two at a time, and nothing else: no plan, no normalising, no layout, no records. The stored images that the
// script pulls are those that `ccp build` just made; the engine forgot them, so both pull the same bytes. Each round has files of
// its own, so nothing is known before. Test containers take one time or another by a tenth, so the figure is the median of the
// rounds' own ratios.
const IMAGES = 60;
const AT_ONCE = 2;
const ROUNDS = 5;
const endpoint = process.env['CCP_ENGINE'] ?? process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';

const workspace = testWorkspace();
workspace.take('images/debian-base', 'images/_shared', 'images/series.yaml');
const names = Array.from({ length: IMAGES }, (_, index) => `trivial-${index + 1}`);
for (const [position, name] of names.entries()) {
  const index = position + 1;
  const parent = index <= 6 ? 'debian-base' : `trivial-${Math.floor((index - 1) / 6)}`;
  workspace.write(`images/${name}/image.yaml`, `title: Trivial ${index}\ndescription: One file.\nroot: a benchmark\nparents: { base: ${parent} }\n`);
  workspace.write(`images/${name}/Dockerfile.njk`, 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nCOPY files /opt/\n');
}

function newFiles(round: number): void {
  for (const name of names) workspace.write(`images/${name}/files/${name}`, `${name} in round ${round}\n`);
}

newFiles(-1);
for (const args of [['lock', ...names], ['build', 'debian-base', '--engine', endpoint]]) {
  const { exitCode, stderr } = await ccp(workspace.root, args);
  if (exitCode !== 0) throw new Error(stderr);
}

async function bare(engine: DockerEngine): Promise<number> {
  const project = openProject(workspace.root, undefined);
  const plan = await planProject(project, [], () => undefined);
  const store = await openStore({ folder: project.paths.store });
  const trivial = plan.images.filter(({ image }) => names.includes(image));
  const stored = new Map(plan.images.map(({ image, digest }) => [image, store.reference(image, digest!)]));
  const parents = new Set(trivial.map((planned) => planned.parents['base']!));
  const limit = pLimit(AT_ONCE);
  const done = new Map<ImageName, Promise<void>>();
  const untagged: Promise<void>[] = [];
  const signal = new AbortController().signal;
  const one = async ({ image, record, parents: { base }, ...planned }: PlannedImage): Promise<void> => {
    const definition = definitionOf(project, image);
    const context = await openImageContext(project, record, plan.origin);
    const incoming = store.incoming({ ...planned, image });
    const reference = stored.get(image)!;
    const buildArgs = { CCP_PARENT_BASE: stored.get(base!)! };
    await engine.build({ context: context.open, dockerfile: 'Dockerfile', buildArgs, platform: plan.platform, network: 'none', reference: incoming, noCache: true }, () => undefined, signal);
    await engine.push(incoming, signal);
    await engine.pull(reference, signal);
    const { findings } = await testImage(imageExpectations(definition, readLock(definition, project.series.name)), { reference, runner: engine, config: {}, size: 0 });
    if (findings.length > 0) throw new Error(findings.map(({ message }) => message).join('\n'));
    await engine.untag(incoming);
    if (!parents.has(image)) untagged.push(engine.untag(reference));
  };
  const start = performance.now();
  for (const planned of trivial) {
    const above = done.get(planned.parents['base']!) ?? Promise.resolve();
    done.set(planned.image, above.then(() => limit(() => one(planned))));
  }
  await Promise.all(done.values());
  for (const parent of parents) if (names.includes(parent)) untagged.push(engine.untag(stored.get(parent)!));
  await Promise.all(untagged);
  const seconds = (performance.now() - start) / 1000;
  await store.close();
  return seconds;
}

async function whole(): Promise<number> {
  const start = performance.now();
  const { exitCode, stderr } = await ccp(workspace.root, ['build', '--no-cache', '--offline', '--engine', endpoint, '--jobs', String(AT_ONCE)]);
  if (exitCode !== 0) throw new Error(stderr);
  return (performance.now() - start) / 1000;
}

const engine = await connectEngine(endpoint);
const rounds: { bare: number; ccp: number }[] = [];
try {
  for (let round = 0; round < ROUNDS; round++) {
    newFiles(round);
    const ccp = await whole();
    rounds.push({ bare: await bare(engine), ccp });
  }
} finally {
  await engine.close();
  workspace.remove();
}
const overhead = median(rounds.map((round) => round.ccp / round.bare)) - 1;
process.stdout.write(
  `${IMAGES} trivial images, medians of ${ROUNDS} rounds: bare script ${median(rounds.map((round) => round.bare)).toFixed(1)} s | ccp build ${median(rounds.map((round) => round.ccp)).toFixed(1)} s | overhead ${(overhead * 100).toFixed(1)} % (at most 5 %)\n`,
);
report('overhead', { images: IMAGES, atOnce: AT_ONCE, rounds, overhead: Number(overhead.toFixed(3)) });
