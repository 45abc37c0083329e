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

export interface VitestOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Runs `files` of a group, or all its files if the list is empty, with vitest. When the signal
 * aborts, vitest ends by SIGINT, so that tests remove their containers and clusters; then throws
 * `cancelled`.
 */
export async function runVitest(
  root: string,
  group: TestGroup,
  files: readonly string[],
  shown: Shown = 'lines',
  { env = {}, signal }: VitestOptions = {},
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
        // Ctrl-C in a terminal reaches only ccp, which passes it on once: a second one stops vitest
        // before its tests have cleaned up.
        detached: true,
        stdio: ['ignore', to, to],
        env: { ...process.env, ...env, CCP_TEST_GROUP: group },
      },
    );
    const interrupt = (): void => void child.kill('SIGINT');
    signal?.addEventListener('abort', interrupt, { once: true });
    if (signal?.aborted === true) interrupt();
    const [status] = (await once(child, 'close')) as [number | null];
    signal?.removeEventListener('abort', interrupt);
    if (shown === 'together') process.stderr.write(readFileSync(printed));
    signal?.throwIfAborted();
    return outcomesOf(readFileSync(report, 'utf8'), root, status === 0);
  } catch (cause) {
    if (signal?.aborted === true)
      throw new CcpError({
        code: 'cancelled',
        message: `the ${group} tests were cancelled`,
        cause,
      });
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
