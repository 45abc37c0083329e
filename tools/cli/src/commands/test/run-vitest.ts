import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CcpError } from '#core';
import { outcomesOf, type TestOutcome } from './outcomes.ts';
import type { TestGroup } from './test-groups.ts';

const REPORTER = fileURLToPath(new URL('file-reporter.ts', import.meta.url));

/** How the output of vitest is printed: by line, all together at the end, or not at all. */
export type Shown = 'lines' | 'together' | 'hidden';

/** Runs `files` of a group, or all its files if the list is empty, with vitest. */
export async function runVitest(
  root: string,
  group: TestGroup,
  files: readonly string[],
  shown: Shown = 'lines',
  env: Readonly<Record<string, string>> = {},
): Promise<readonly TestOutcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-test-'));
  const report = join(folder, 'report.json');
  const printed = join(folder, 'printed');
  const to = shown === 'lines' ? 2 : openSync(printed, 'w');
  try {
    const child = spawn(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--config',
        'tests/vitest.config.ts',
        '--reporter=default',
        `--reporter=${REPORTER}`,
        `--outputFile.json=${report}`,
        ...files.map((file) => join(root, file)),
      ],
      {
        cwd: root,
        stdio: ['ignore', to, to],
        env: { ...process.env, ...env, CCP_TEST_GROUP: group },
      },
    );
    const [status] = (await once(child, 'close')) as [number | null];
    if (shown === 'together') process.stderr.write(readFileSync(printed));
    return outcomesOf(readFileSync(report, 'utf8'), root, status === 0);
  } catch (cause) {
    throw new CcpError({
      code: 'test-runner',
      message: `the ${group} tests did not write a report`,
      cause,
    });
  } finally {
    if (to !== 2) closeSync(to);
    rmSync(folder, { recursive: true, force: true });
  }
}
