import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingPackages } from '#cluster';
import { CcpError } from '#core';
import { requireWritable } from '#host';
import { openMemo } from '#inputs';
import { installPackages, openEngines } from '../compose-engines.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandContext } from '../program.ts';
import { readSettings } from '../settings.ts';
import { statePaths } from '../state/paths.ts';
import { missingTestPackages } from '../missing-test-packages.ts';

export interface TestFlags {
  readonly fast?: boolean;
  readonly all?: boolean;
}

interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * `ccp test`: installs what the tests call, then types, then the tests that run anywhere, then (not with `--fast`) those that need
 * an engine, which is started where none answers: those that keep it busy, beside them the slow ones, which mostly wait, then (with
 * `--all`) the long ones.
 * The last line is `N passed, N failed`, with `, N skipped` where any were.
 */
export async function test({ own, output, flags }: CommandContext, _names: readonly string[], { fast, all }: TestFlags): Promise<number> {
  requireWritable(own, 'the tests write beside the source: run them in a clone that this user may write to');
  const missing = [...new Set([...missingTestPackages(fast === true), ...(fast === true ? [] : missingPackages({ toBuild: true }))])];
  if (missing.length > 0) await installPackages(missing, output, flags.yes === true);
  const tallies = [typeCheck(own), await vitest(own, 'unit')];
  if (fast !== true && tallies.every(({ failed }) => failed === 0)) {
    const settings = readSettings(own, openMemo(statePaths(own).memo));
    const engines = await openEngines({ settings, output, yes: flags.yes === true });
    const engine = { CCP_ENGINE: engines.endpoints[0] as string };
    tallies.push(...(await Promise.all([vitest(own, 'engine', engine), vitest(own, 'slow', engine, 'together')])));
    if (all === true) tallies.push(await vitest(own, 'long', engine));
  }
  const sum = (kind: keyof Tally): number => tallies.reduce((so, tally) => so + tally[kind], 0);
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
  output.result(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`, { passed, failed, skipped });
  return failed === 0 ? EXIT.done : EXIT.failed;
}

function typeCheck(root: string): Tally {
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.base.json'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  return status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

/** Runs the tests of a group; what they say is shown line by line, or all `together` when they are done. */
async function vitest(root: string, group: string, env: Readonly<Record<string, string>> = {}, shown: 'lines' | 'together' = 'lines'): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-test-'));
  const report = join(folder, 'report.json');
  const said = join(folder, 'said');
  const to = shown === 'lines' ? 2 : openSync(said, 'w');
  try {
    const child = spawn(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/vitest.config.ts', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
      { cwd: root, stdio: ['ignore', to, to], env: { ...process.env, ...env, CCP_TEST_GROUP: group } },
    );
    const [status] = (await once(child, 'close')) as [number | null];
    if (shown === 'together') process.stderr.write(readFileSync(said));
    return tallyOf(readFileSync(report, 'utf8'), status === 0);
  } catch (cause) {
    throw new CcpError({ code: 'test-runner', message: `the ${group} tests wrote no report`, cause });
  } finally {
    if (to !== 2) closeSync(to);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts of a report; a suite that failed before its tests ran counts as a failure. */
function tallyOf(report: string, clean: boolean): Tally {
  const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests } = JSON.parse(report) as Record<string, number>;
  const failed = Math.max(numFailedTests ?? 0, clean ? 0 : Math.max(numFailedTestSuites ?? 0, 1));
  return { passed: numPassedTests ?? 0, failed, skipped: numPendingTests ?? 0 };
}
