import { randomUUID } from 'node:crypto';
import { createWriteStream, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { connectEngine } from '#engines';
import { openStore } from '#store';
import { openImageContext } from '../../tools/cli/src/compose/inputs.ts';
import { openProject, planProject } from '../../tools/cli/src/compose/plan.ts';
import { ccp, REPOSITORY } from '../helpers/ccp.ts';
import { testWorkspace } from '../helpers/workspace.ts';
import { engineSeconds } from './engine-seconds.ts';
import { measureOnce, median, report } from './measure.ts';
import type { PlainBuilds, PlainImage } from './plain-build.ts';

// The cost of `ccp build` compared with a plain build with BuildKit: 40 trivial images on a built
// base, without cache, two at a time, by `ccp build` (plan, build, push, normalise, test, store,
// record) and then by a script that only builds. Both get the same contexts, with new files for
// each build, since BuildKit caches contexts. Processor time includes the command and the engine's
// daemon. The engine must be on this machine and have no other work.
const IMAGES = 40;
const AT_ONCE = 2;
const ROUNDS = Number(process.env['CCP_BENCH_ROUNDS'] ?? 5);
const TAG = `ccp-bench-${process.pid}`;
const endpoint =
  process.env['CCP_ENGINE'] ?? process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';

interface BuildCost {
  readonly seconds: number;
  /** Processor time of the command. */
  readonly command: number;
  /** Processor time of the engine. */
  readonly engine: number;
}

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

/** Files that no engine has seen. */
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
const engine = await connectEngine(endpoint);
await tagBase();

/** Gives the stored base a name on the engine. */
async function tagBase(): Promise<void> {
  const project = openProject(workspace.root, undefined);
  const { images } = planProject(project, []);
  const { digest } = images.find(({ image }) => image === 'debian-base')!;
  const store = await openStore({ folder: project.paths.store });
  const reference = store.reference('debian-base' as never, digest!);
  await engine.pull(reference, new AbortController().signal, store.login);
  const path = `/images/${encodeURIComponent(reference)}/tag?repo=${TAG}%2Fdebian-base&tag=latest`;
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  request({ socketPath: endpoint.replace('unix://', ''), path, method: 'POST' }, (answer) =>
    resolve(answer.resume().statusCode),
  )
    .on('error', reject)
    .end();
  if ((await promise) !== 201) throw new Error(`the engine did not tag ${reference}`);
  await engine.untag(reference);
  await store.close();
}

function costOf(command: readonly string[]): BuildCost {
  const before = engineSeconds(endpoint) ?? 0;
  const { milliseconds, processorSeconds } = measureOnce(command, workspace.root);
  const used = (engineSeconds(endpoint) ?? 0) - before;
  return { seconds: milliseconds / 1000, command: processorSeconds, engine: used };
}

/** The plain build of the files that `ccp build` builds next, or has built. */
async function plainBuilds(): Promise<PlainBuilds> {
  const project = openProject(workspace.root, undefined);
  const plan = planProject(project, []);
  const images: PlainImage[] = [];
  for (const { image, record, parents } of plan.images) {
    if (!names.includes(image)) continue;
    const context = join(workspace.root, '.ccp', `${image}.tar`);
    const { open } = await openImageContext(project, record, plan.origin);
    await pipeline(open(), createWriteStream(context));
    const local = (name: string): string => `${TAG}/${name}:latest`;
    images.push({ reference: local(image), base: local(parents['base']!), context });
  }
  return { endpoint, atOnce: AT_ONCE, images };
}

async function plain(): Promise<BuildCost> {
  newFiles();
  const file = join(workspace.root, '.ccp', 'plain.json');
  writeFileSync(file, JSON.stringify(await plainBuilds()));
  return costOf([process.execPath, join(import.meta.dirname, 'plain-build.ts'), file]);
}

function whole(): BuildCost {
  newFiles();
  const flags = ['--no-cache', '--offline', '--engine', endpoint, '--jobs', String(AT_ONCE)];
  return costOf([join(REPOSITORY, 'ccp'), 'build', ...flags]);
}

const rounds: { readonly plain: BuildCost; readonly ccp: BuildCost }[] = [];
try {
  await plain();
  for (let round = 0; round < ROUNDS; round++) rounds.push({ ccp: whole(), plain: await plain() });
} finally {
  await engine.untagAll([`${TAG}/`]);
  await engine.close();
  workspace.remove();
}
const processor = ({ command, engine: used }: BuildCost): number => command + used;
const middle = (value: (round: (typeof rounds)[number]) => number): number =>
  median(rounds.map(value));
const ratios = {
  wall: Number(middle(({ ccp: whole, plain: bare }) => whole.seconds / bare.seconds).toFixed(2)),
  processor: Number(
    middle(({ ccp: whole, plain: bare }) => processor(whole) / processor(bare)).toFixed(2),
  ),
};
const text = (kind: 'ccp' | 'plain'): string =>
  [
    `${middle((round) => round[kind].seconds).toFixed(1)} s`,
    `${middle((round) => round[kind].command).toFixed(1)} s processor`,
    `engine ${middle((round) => round[kind].engine).toFixed(1)} s`,
  ].join(', ');
process.stdout.write(
  [
    `${IMAGES} trivial images, medians of ${ROUNDS} rounds`,
    `plain build: ${text('plain')}`,
    `ccp build:   ${text('ccp')}`,
    `ratio: wall ${ratios.wall}, processor time ${ratios.processor} (at most 1.5)\n`,
  ].join('\n'),
);
report('overhead', { images: IMAGES, atOnce: AT_ONCE, rounds, ratios });
