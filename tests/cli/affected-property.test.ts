import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PlanDocument } from '#plan';
import { ccpJson } from '../helpers/ccp.ts';
import { seededRandom, type Random } from '../helpers/random.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

const IMAGES: Readonly<Record<string, string | undefined>> = {
  base: undefined,
  library: 'base',
  tool: 'base',
  service: 'library',
  worker: 'service',
};

interface Affected {
  readonly series: readonly {
    readonly affected: readonly { readonly image: string; readonly reasons: readonly string[] }[];
    readonly removed: readonly string[];
  }[];
}

let workspace: TestWorkspace;
let env: Readonly<Record<string, string>>;

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd: workspace.root,
    encoding: 'utf8',
    env: {
      ...process.env,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@example.org',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.org',
    },
  }).trim();
const commit = (): string => {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'change');
  return git('rev-parse', 'HEAD');
};
const run = (...args: readonly string[]) => runInProcess(workspace.root, args, env);
const path = (name: string): string => join(workspace.root, name);

function define(name: string, title = name): void {
  const parent = IMAGES[name];
  const parents = parent === undefined ? '' : `parents: { base: ${parent} }\n`;
  workspace.write(
    `images/${name}/image.yaml`,
    `title: ${title}\ndescription: An image.\nroot: a test\n${parents}`,
  );
}

async function fingerprints(): Promise<ReadonlyMap<string, string>> {
  const { images } = await ccpJson<PlanDocument>(workspace.root, ['plan'], env, runInProcess);
  return new Map(images.map(({ image, fingerprint }) => [image, fingerprint]));
}

async function affected(...args: readonly string[]) {
  const { series } = await ccpJson<Affected>(
    workspace.root,
    ['affected', ...args],
    env,
    runInProcess,
  );
  return series[0]!;
}

beforeEach(async () => {
  workspace = testWorkspace();
  env = { CCP_CACHE: join(workspace.root, 'cache') };
  workspace.write('.gitignore', '.ccp\ncache\n');
  workspace.write('images/_shared/used.njk', '{% macro copy() %}COPY files /{% endmacro %}\n');
  for (const [name, parent] of Object.entries(IMAGES)) {
    define(name);
    const from =
      parent === undefined ? 'FROM scratch' : 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}';
    workspace.write(
      `images/${name}/Dockerfile.njk`,
      `{% from "_shared/used.njk" import copy %}\n${from}\n{{ copy() }}\n`,
    );
    workspace.write(`images/${name}/files/a`, `${name}\n`);
  }
  const locked = await run('lock');
  expect(locked, locked.stderr).toMatchObject({ exitCode: 0 });
  git('init', '--quiet', '--initial-branch', 'main');
  commit();
});

afterEach(() => workspace.remove());

/** Edits that leave every lock up to date. */
const EDITS: readonly ((random: Random) => void)[] = [
  (random) => workspace.write(`images/${anyOf(random)}/files/a`, random.text(3, 'abc')),
  (random) => workspace.write(`images/${anyOf(random)}/files/b/${random.int(3)}`, 'new\n'),
  (random) => rmSync(path(`images/${anyOf(random)}/files/b`), { recursive: true, force: true }),
  (random) =>
    chmodSync(path(`images/${anyOf(random)}/files/a`), random.chance(0.5) ? 0o755 : 0o644),
  (random) => define(anyOf(random), random.text(2, 'xy')),
  (random) => workspace.write(`images/${anyOf(random)}/README.md`, random.text(4, 'ab')),
  (random) => workspace.write('images/_shared/unused.njk', `{# ${random.text(3, 'ab')} #}\n`),
  (random) =>
    workspace.write(
      'images/_shared/used.njk',
      `{% macro copy() %}COPY files ${random.pick(['/', '/opt/'])}{% endmacro %}\n`,
    ),
  (random) => {
    const link = path(`images/${anyOf(random)}/files/link`);
    if (!existsSync(link)) symlinkSync('a', link);
  },
];

function anyOf(random: Random): string {
  return random.pick(Object.keys(IMAGES));
}

it('names exactly the images whose fingerprint changed, for random edits', async () => {
  const random = seededRandom(14);
  for (let round = 0; round < 12; round += 1) {
    const base = commit();
    const before = await fingerprints();
    for (let edit = random.int(3); edit >= 0; edit -= 1) random.pick(EDITS)(random);
    const after = await fingerprints();
    const changed = [...after].flatMap(([image, now]) =>
      before.get(image) === now ? [] : [image],
    );
    const found = await affected('--base', base);
    expect(
      found.affected.map(({ image }) => image),
      `round ${round}`,
    ).toEqual(changed);
    expect(found.affected.every(({ reasons }) => reasons.length > 0)).toBe(true);
    const head = commit();
    expect(await affected('--base', base, '--head', head), `round ${round}`).toEqual(found);
  }
}, 120_000);

it('counts the parents of the named images that are valid', async () => {
  expect((await run('validate', 'worker')).stdout).toBe(
    'series 2026.1, 4 images are valid, including 3 parents\n',
  );
  expect((await run('validate')).stdout).toBe('series 2026.1, 5 images are valid\n');
});

it('compares with the commit that the branch left main at', async () => {
  git('checkout', '--quiet', '-b', 'topic');
  workspace.write('images/tool/files/a', 'topic\n');
  commit();
  git('checkout', '--quiet', 'main');
  workspace.write('images/worker/files/a', 'main\n');
  const main = commit();
  git('checkout', '--quiet', 'topic');
  workspace.write('images/service/files/new', 'untracked\n');
  const fork = git('merge-base', 'main', 'topic').slice(0, 12);
  expect(await run('affected')).toMatchObject({
    exitCode: 0,
    stdout: `series 2026.1, compared with ${fork}
  service  file new is a new input
  tool     file a changed
  worker   parent service (base) changed
3 of 5 images affected
`,
  });
  expect(await run('affected', '--format', 'list')).toMatchObject({
    stdout: 'service,tool,worker\n',
  });
  expect(await run('affected', '--head', 'topic', '--format', 'list')).toMatchObject({
    stdout: 'tool\n',
  });
  expect(await run('affected', '--base', main, '--head', main, '--format', 'list')).toMatchObject({
    exitCode: 0,
    stdout: '',
  });
});

it('follows `origin` of both commits, added and removed images, and out-of-date locks', async () => {
  const base = commit();
  workspace.write('.ccp.yaml', 'origin: git\n');
  expect((await affected()).affected).toEqual([]);
  rmSync(path('images/worker'), { recursive: true });
  expect(await affected()).toMatchObject({ affected: [], removed: ['worker'] });
  const without = commit();
  workspace.write(
    'images/tool/image.yaml',
    'title: tool\ndescription: An image.\nroot: a test\nparents: { base: base }\ndebian:\n  runtime: { on: base, packages: [hello] }\n',
  );
  const found = await run('affected', '--base', without);
  expect(found, found.stderr).toMatchObject({
    stdout: expect.stringMatching(
      /^ {2}tool {2}images\/tool\/lock\/2026\.1\.yaml is out of date: /m,
    ),
  });
  git('checkout', '--quiet', base, '--', 'images', '.ccp.yaml');
  expect(await affected('--base', without)).toMatchObject({
    affected: [{ image: 'worker', reasons: [`new image: not in commit ${without.slice(0, 12)}`] }],
  });
});

it('says what is missing', async () => {
  expect(await run('affected', '--base', 'gone')).toMatchObject({
    exitCode: 2,
    stderr:
      'ccp: the repository has no commit gone\n  -> name a branch, tag or commit with --base; fetch it first in a shallow clone\n',
  });
  expect(await run('affected', '--head', 'gone')).toMatchObject({
    exitCode: 2,
    stderr:
      'ccp: the repository has no commit gone\n  -> name a branch, tag or commit with --head\n',
  });
  rmSync(path('.git'), { recursive: true });
  expect(await run('affected')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining(`${workspace.root} is not in a git repository: `),
  });
});

it('refuses a commit with the state folder, which a link could replace', async () => {
  symlinkSync('..', path('.ccp-link'));
  git('add', '--all');
  const blob = git('rev-parse', ':.ccp-link');
  git('update-index', '--add', '--cacheinfo', `120000,${blob},.ccp`);
  git('commit', '--quiet', '--message', 'state');
  const head = git('rev-parse', 'HEAD');
  expect(await run('affected', '--base', `${head}~1`, '--head', head)).toMatchObject({
    exitCode: 5,
    stderr: `ccp: commit ${head} has the path .ccp\n`,
  });
});
