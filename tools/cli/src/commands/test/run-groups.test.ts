import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CcpError } from '#core';
import { summaryOf, summaryText, type TestOutcome } from './outcomes.ts';
import { runEngineGroups, runFailedAgain, type RunFiles } from './run-groups.ts';
import { runVitest } from './run-vitest.ts';
import type { TestGroup } from './test-groups.ts';

const NODE_MODULES = fileURLToPath(new URL('../../../../../node_modules', import.meta.url));

/** A repository with test files; a file's first runs fail as often as its number says. */
function testFolder(files: Readonly<Record<string, number>>): string {
  const root = mkdtempSync(join(tmpdir(), 'ccp-second-try-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  symlinkSync(NODE_MODULES, join(root, 'node_modules'));
  mkdirSync(join(root, 'tests'));
  writeFileSync(
    join(root, 'tests/vitest.config.ts'),
    "export default { test: { include: ['tests/*.test.ts'], maxWorkers: 1 } };\n",
  );
  for (const [name, failures] of Object.entries(files))
    writeFileSync(
      join(root, `tests/${name}.test.ts`),
      [
        "import { appendFileSync, readFileSync } from 'node:fs';",
        "import { expect, it } from 'vitest';",
        `it('fails ${failures} times', () => {`,
        `  appendFileSync('runs-of-${name}', '.');`,
        `  expect(readFileSync('runs-of-${name}', 'utf8').length).toBeGreaterThan(${failures});`,
        '});',
        '',
      ].join('\n'),
    );
  return root;
}

describe('runFailedAgain', () => {
  it('runs a failed file once more with vitest', async () => {
    const root = testFolder({ steady: 0, once: 1, twice: 2 });
    const run: RunFiles = (group, files) => runVitest(root, group, files, 'hidden');
    const groups = await runEngineGroups(new Map([['engine', []]]), run);
    const first = groups.flatMap(({ outcomes }) => outcomes);
    const lines: string[] = [];
    const second = await runFailedAgain(groups, run, (line) => lines.push(line));
    expect(lines.sort()).toEqual([
      'tests/once.test.ts failed; running it once more',
      'tests/twice.test.ts failed; running it once more',
    ]);
    expect(summaryText(summaryOf(first, []))).toBe('1 passed, 2 failed');
    const summary = summaryOf(first, second);
    expect(summary.secondTry).toEqual(['tests/once.test.ts']);
    expect(summaryText(summary)).toBe('2 passed, 1 failed, 1 passed only on the second try');
  });

  it('ends vitest and throws when it is cancelled', async () => {
    const root = testFolder({});
    writeFileSync(
      join(root, 'tests/long.test.ts'),
      [
        "import { writeFileSync } from 'node:fs';",
        "import { it } from 'vitest';",
        "it('takes a minute', async () => {",
        "  writeFileSync('started', String(process.pid));",
        '  await new Promise((resolve) => setTimeout(resolve, 60_000));',
        '}, 90_000);',
        '',
      ].join('\n'),
    );
    const controller = new AbortController();
    const run = runVitest(root, 'engine', [], 'hidden', { signal: controller.signal });
    const ended = run.catch((thrown: unknown) => thrown);
    const started = join(root, 'started');
    await expect.poll(() => existsSync(started), { timeout: 30_000 }).toBe(true);
    controller.abort();
    expect(await ended).toMatchObject({
      code: 'cancelled',
      message: 'the engine tests were cancelled',
    });
    const worker = Number(readFileSync(started, 'utf8'));
    await expect.poll(() => existsSync(`/proc/${worker}`)).toBe(false);
  });

  it('fails if vitest writes no report', async () => {
    const root = testFolder({});
    rmSync(join(root, 'node_modules'));
    const error = (await runVitest(root, 'engine', [], 'hidden').catch(
      (thrown: unknown) => thrown,
    )) as CcpError;
    expect([error.code, error.message]).toEqual([
      'test-runner',
      'the engine tests did not write a report',
    ]);
  });
});

/** Runs a file as a fake that records its start and end; the files named in `failing` fail. */
function fakeRun(failing: readonly string[]) {
  const events: string[] = [];
  const run: RunFiles = async (group, files, shown) => {
    const name = files.join(' ') || group;
    events.push(`start ${name} (${shown})`);
    await new Promise(setImmediate);
    events.push(`end ${name}`);
    return files.map((file): TestOutcome => {
      const failed = failing.includes(file) ? 1 : 0;
      return { file, passed: 1 - failed, failed, skipped: 0 };
    });
  };
  return { run, events };
}

describe('runEngineGroups', () => {
  it('runs two groups at the same time, then the last, then failed files one at a time', async () => {
    const { run, events } = fakeRun(['b', 'c', 'd']);
    const selection = new Map<TestGroup, readonly string[]>([
      ['engine', ['a', 'b']],
      ['cluster', ['c']],
      ['cloud', ['d']],
    ]);
    const groups = await runEngineGroups(selection, run);
    await runFailedAgain(groups, run, () => undefined);
    expect(events).toEqual([
      'start a b (lines)',
      'start c (together)',
      'end a b',
      'end c',
      'start d (lines)',
      'end d',
      ...['b', 'c', 'd'].flatMap((file) => [`start ${file} (lines)`, `end ${file}`]),
    ]);
  });

  it('prints the lines of a group that runs alone', async () => {
    const { run, events } = fakeRun([]);
    await runEngineGroups(new Map([['cluster', ['c']]]), run);
    expect(events).toEqual(['start c (lines)', 'end c']);
  });
});
