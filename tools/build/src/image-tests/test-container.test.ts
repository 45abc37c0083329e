import { describe, expect, it } from 'vitest';
import { CcpError, imageName } from '#core';
import { fakeRunner, type FakeRunner } from '#ports/testing';
import type { ContainerResult, ContainerSpec } from '#ports';
import { listingOf } from './testing/listing-of.ts';
import { loadFactor } from './test-container.ts';
import { testImage } from './test-image.ts';
import type { ImageExpectations, TestReport } from './types.ts';

const EXPECTED: ImageExpectations = {
  image: imageName('hello'),
  commands: [
    { name: 'first', run: ['one'], exitCode: 0 },
    { name: 'second', run: ['two'], exitCode: 0, timeout: 7 },
  ],
  imports: [],
  importExceptions: {},
  setuid: [],
  allow: [],
  shipped: true,
  versions: { sources: {}, go: {}, python: {}, debian: {} },
  python: false,
  provided: [],
  inputs: [],
};
const PROBE = 'end\0-\0';
const layers = [listingOf({ 'bin/sh': { elf: true } })];

const scriptOf = ({ command = [] }: ContainerSpec): string => command[1] ?? '';
/** The `timeout` commands of a container: `SECONDS PROGRAM`. */
const limitsIn = (spec: ContainerSpec): string[] =>
  [...scriptOf(spec).matchAll(/^timeout -k 5 (\S+) '(\w+)'/gm)].map(([, seconds, program]) =>
    [seconds, program].join(' '),
  );

/** Tests an image; `answer` gives the output of a container with commands, by its number. */
async function tested(
  answer: (attempt: number) => Partial<ContainerResult>,
  changes: Partial<ImageExpectations> = {},
  factor = 1,
): Promise<{
  readonly report: TestReport;
  readonly limits: string[][];
  readonly runner: FakeRunner;
}> {
  let attempt = 0;
  const runner = fakeRunner({
    run: ({ user }) => (user === '0' ? { stdout: PROBE } : answer((attempt += 1))),
  });
  const report = await testImage(
    { ...EXPECTED, ...changes },
    { reference: 'r', runner, config: {}, size: 1, layers, loadFactor: () => factor },
  );
  const limits = runner.specs.filter(({ user }) => user !== '0').map(limitsIn);
  return { report, limits, runner };
}

describe('loadFactor', () => {
  it.each([
    [0, 2, 1],
    [2, 2, 1],
    [5, 2, 2.5],
    [90, 2, 10],
  ])('with load %d on %d processors is %d', (load, processors, factor) => {
    expect(loadFactor(load, processors)).toBe(factor);
  });
});

describe('testImage', () => {
  it('extends the default limit on a busy machine, and not a limit of the definition', async () => {
    const { limits } = await tested(() => ({ stdout: '0\0\x000\0\0' }), {}, 2.4321);
    expect(limits).toEqual([['146 one', '7 two']]);
  });

  it('runs a command that timed out once more in its own container', async () => {
    const { report, limits, runner } = await tested((attempt) => ({
      stdout: attempt === 1 ? '0\0\x00124\0\0' : '0\0fine\0',
    }));
    expect(limits).toEqual([['60 one', '7 two'], ['7 two']]);
    expect(report).toMatchObject({ findings: [], repeated: ['second'] });
    expect(runner.specs.at(-1)).toMatchObject({ network: 'none', readOnlyRoot: true });
  });

  it('reports a command that timed out twice', async () => {
    const { report, limits } = await tested((attempt) => ({
      stdout: attempt === 1 ? '137\0\x00124\0\0' : '124\0slow\0',
    }));
    expect(limits).toEqual([['60 one', '7 two'], ['60 one'], ['7 two']]);
    expect(report.findings.map(({ message }) => message)).toEqual([
      'first: `one` timed out, also when it was run again alone for 60 s; its last output is "slow"',
      'second: `two` timed out, also when it was run again alone for 7 s; its last output is "slow"',
    ]);
  });

  it('keeps the first result if the second container ends early', async () => {
    const { report } = await tested((attempt) =>
      attempt === 1 ? { stdout: '0\0\x00124\0x\0' } : { exitCode: 1 },
    );
    expect(report.findings.map(({ message }) => message)).toEqual([
      'second: `two` timed out, also when it was run again alone for 7 s; its last output is "x"',
    ]);
  });

  it('runs Python checks that timed out once more', async () => {
    const { report } = await tested(
      (attempt) => ({ stdout: attempt === 1 ? '124\0\0' : '0\0{"end": true}\0' }),
      { commands: [], imports: ['hello'] },
    );
    expect(report).toMatchObject({ findings: [], repeated: ['the Python checks'] });
  });

  it('runs a container once more whose output the engine lost', async () => {
    const { report, limits } = await tested((attempt) =>
      attempt === 1 ? { exitCode: 0 } : { stdout: '0\0\x000\0\0' },
    );
    expect(limits).toHaveLength(2);
    expect(report.findings).toEqual([]);
  });

  it('reports a container without output whose second run has none either', async () => {
    const { report, limits } = await tested(() => ({ exitCode: 0 }));
    expect(limits).toHaveLength(2);
    expect(report.findings.map(({ message }) => message)).toEqual([
      'the container of the command checks exited early with code 0; it printed nothing',
    ]);
  });

  it('does not repeat a command that failed for another reason', async () => {
    const { report, limits } = await tested(() => ({ stdout: '1\0\x000\0\0' }));
    expect(limits).toHaveLength(1);
    expect(report).toMatchObject({ findings: [{ check: 'command' }] });
    expect(report.repeated).toBeUndefined();
  });

  it.each(['0', undefined])(
    'runs a container of user %s that timed out once more',
    async (slow) => {
      let left = 1;
      const runner = fakeRunner({
        run: ({ user }) => {
          if (user === slow && left > 0) {
            left -= 1;
            throw new CcpError({ code: 'timeout', message: 'too slow' });
          }
          return { stdout: user === '0' ? PROBE : '0\0\x000\0\0' };
        },
      });
      const subject = { reference: 'r', runner, config: {}, size: 1, layers, loadFactor: () => 1 };
      expect((await testImage(EXPECTED, subject)).findings).toEqual([]);
      expect(runner.specs).toHaveLength(3);
    },
  );
});
