import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { answerFaults } from '../helpers/answer-faults.ts';
import { ccp, REPOSITORY } from '../helpers/ccp.ts';
import { runInProcess } from '../helpers/run-in-process.ts';

describe('ccp test', () => {
  it('runs one file', async () => {
    const { exitCode, stdout, stderr } = await ccp(REPOSITORY, [
      'test',
      'tools/host/src/is-in-path.test.ts',
      '--json',
    ]);
    const answer = JSON.parse(stdout) as { readonly passed: number };
    expect(answerFaults('ccp test', answer)).toEqual([]);
    expect(answer).toEqual({ passed: answer.passed, failed: 0, skipped: 0, secondTry: [] });
    expect(answer.passed).toBeGreaterThan(0);
    expect(stripVTControlCharacters(stderr)).toMatch(/Test Files +1 passed \(1\)/);
    expect(stderr).not.toContain('report');
    expect(exitCode).toBe(0);
  });

  it.each([
    [
      ['tools/cli', 'no-such-test'],
      'ccp: no test file matches "no-such-test"\n' +
        '  -> give a test file, a folder, a part of a path or a glob, such as tools/plan or "tools/*/src/*.test.ts"\n',
    ],
    [
      ['--group', 'unit'],
      'ccp: --group "unit" is invalid\n  -> use one of: fast, engine, cluster, cloud\n',
    ],
    [
      ['--group', 'slow'],
      'ccp: --group "slow" is invalid\n  -> its tests are now in engine and cluster\n',
    ],
    [['--group', 'long'], 'ccp: --group "long" is invalid\n  -> its tests are now in cloud\n'],
    [
      ['--group', 'fast', '--all'],
      'ccp: --group and --all cannot be used together\n  -> see `ccp help test`\n',
    ],
  ])('refuses %j', async (args, text) => {
    const { exitCode, stdout, stderr } = await runInProcess(REPOSITORY, ['test', ...args]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.startsWith(text), stderr).toBe(true);
  });
});
