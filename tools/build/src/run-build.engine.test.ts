import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectEngine } from '#engines';
import { hostShell, tarOf } from '#ports/testing';
import { type ImageStore, systemClock } from '#ports';
import { openStore } from '#store';
import { openDurations } from './durations.ts';
import { runBuild } from './run-build.ts';
import { planOf } from './testing.ts';
import type { BuildEvent, BuildPorts, BuildResult } from './types.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-run-build-'));
const logs = join(root, 'logs');
let engine: Awaited<ReturnType<typeof connectEngine>>;
let store: ImageStore;

beforeAll(async () => {
  engine = await connectEngine(process.env['CCP_ENGINE'] ?? '');
  store = await openStore({ folder: join(root, 'store') });
});
afterAll(async () => {
  for (const { image, digest } of store.list()) await engine.untag(store.reference(image, digest));
  await store.close();
  await engine.close();
  rmSync(root, { recursive: true });
});

const GRAPH = { base: [], child: ['base'], grandchild: ['child'] };
const salt = randomUUID();

async function run(
  dockerfiles: Readonly<Record<string, string>>,
  salts: Readonly<Record<string, string>> = {},
  onEvent: (event: BuildEvent, abort: () => void) => void = () => undefined,
): Promise<BuildResult> {
  const control = new AbortController();
  const ports: BuildPorts = {
    engines: [{ engine, runner: engine, slots: 2 }],
    store,
    openContext: async ({ image }) => {
      const tar = await tarOf({
        ...(image === 'base' ? hostShell() : {}),
        Dockerfile: dockerfiles[image]!,
      });
      return {
        open: async function* () {
          yield tar;
        },
      };
    },
    hasPassed: () => true,
    testImage: async ({ reference, runner }, signal) => {
      const { stdout } = await runner.run(
        { image: reference, entrypoint: ['/bin/cat'], command: ['/made'], network: 'none' },
        { signal },
      );
      return {
        checks: ['command'],
        findings:
          stdout === 'yes\n'
            ? []
            : [{ check: 'command', message: `/made contains ${JSON.stringify(stdout)}` }],
      };
    },
    durations: await openDurations(join(root, 'durations.json'), 'test'),
    clock: systemClock,
  };
  const plan = planOf(
    GRAPH,
    Object.fromEntries(
      Object.keys(GRAPH).map((name) => [name, `${salt}${name}${salts[name] ?? ''}`]),
    ),
  );
  return runBuild(
    plan,
    ports,
    { logs, noCache: false },
    (event) => onEvent(event, () => control.abort()),
    control.signal,
  );
}

const types = ({ outcomes }: BuildResult): readonly string[] => outcomes.map(({ type }) => type);
const base = 'FROM scratch\nCOPY root/ /\nRUN echo yes > /made\n';
const child = 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nRUN cat /made\n';

it('builds children on stored parents, fails at a failing step, and continues in the next run', async () => {
  const broken = await run({
    base,
    child,
    grandchild: `${child}RUN echo half; echo away >&2; exit 3\n`,
  });
  expect(types(broken)).toEqual(['built', 'built', 'failed']);
  const [, , failed] = broken.outcomes;
  expect(failed).toMatchObject({
    fault: { code: 'build-failed' },
    log: join(logs, 'grandchild.log'),
  });
  expect(readFileSync(join(logs, 'grandchild.log'), 'utf8')).toMatch(
    /\[\[3\/3\] RUN echo half[^\n]*\] half\n/,
  );
  expect(types(await run({ base, child, grandchild: child }))).toEqual([
    'reused',
    'reused',
    'built',
  ]);
});

it('aliases the descendants of a parent that was rebuilt with the same digest', async () => {
  const rebuilt = await run(
    { base: `# a comment\n${base}`, child, grandchild: child },
    { base: 'comment' },
  );
  expect(types(rebuilt)).toEqual(['built', 'aliased', 'aliased']);
});

it('does not add an image whose tests fail to the set', async () => {
  const unfit = await run(
    { base: 'FROM scratch\nCOPY root/ /\nRUN echo no > /made\n', child, grandchild: child },
    { base: 'unfit' },
  );
  expect(types(unfit)).toEqual(['failed', 'blocked', 'blocked']);
  expect(unfit.outcomes[0]).toMatchObject({
    fault: { message: 'the tests of base failed with 1 finding:\n- /made contains "no\\n"' },
  });
});

it('ends on an abort, although a command of the build would run for an hour', async () => {
  const result = await run(
    { base: `${base}RUN echo ready; sleep 3600\n`, child, grandchild: child },
    { base: 'slow' },
    (event, abort) => {
      if (event.type === 'output' && event.text.includes('ready')) abort();
    },
  );
  expect(types(result)).toEqual(['cancelled', 'cancelled', 'cancelled']);
});
