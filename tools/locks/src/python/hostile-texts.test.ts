import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../../tests/helpers/cpu-ms.ts';
import { fuzz, FUZZ_TIMEOUT_MS, mutated } from '../../../../tests/helpers/fuzz.ts';
import { parseStanza } from '../debian/package-lists.ts';
import { constraintLines, pinnedVersion, requirementName } from './constraints.ts';
import { projectFacts } from './project-facts.ts';

const filled = (unit: string): string => unit.repeat(Math.ceil(1_000_000 / unit.length));
/** The result of a parser, or the code of its error. */
const outcomeOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: expect.any(String) });
    return undefined;
  }
};

describe('a text of 1 MB that repeats', () => {
  it.each([
    'a',
    ' ',
    '\n',
    ' #',
    '#\u2028',
    'a[',
    '==',
    '== ',
    'a.',
    'setup_requires=[',
    'pbr ',
    'import ',
    '[',
    'Requires-Dist: ',
    'a=',
    '\r\n',
    '__import__(',
  ])('%j is read in little time', (unit) => {
    const text = filled(unit);
    const started = cpuMs();
    outcomeOf(() => constraintLines(text, new Set()));
    outcomeOf(() => requirementName(text));
    pinnedVersion(text);
    for (const name of [
      'PKG-INFO',
      'setup.cfg',
      'setup.py',
      'requirements.txt',
      'x.egg-info/requires.txt',
    ])
      outcomeOf(() => projectFacts(new Map([[name, text]]), 'x-1.tar.gz'));
    outcomeOf(() => parseStanza(text, 'debian'));
    outcomeOf(() => parseStanza(`Filename: pool/${text}.deb`, 'debian'));
    expect(cpuMs() - started).toBeLessThan(15_000);
  });
});

it(
  'reads or refuses any changed stanza and project',
  async () => {
    const stanza = Buffer.from(
      `Package: a\nVersion: 1:2-3\nArchitecture: amd64\nFilename: pool/main/a/a_2-3_amd64.deb\nSize: 12\nSHA256: ${'a'.repeat(64)}`,
    );
    const setup = Buffer.from(
      '[metadata]\nname = x\n[options]\ninstall_requires =\n  a>=1; python_version<"4"\n',
    );
    await fuzz(2000, (random) => {
      outcomeOf(() => {
        const { pool, size, sha256 } = parseStanza(
          mutated(random, stanza).toString(),
          'debian',
        ).package;
        expect(pool.split('/')).not.toContain('..');
        expect(sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(Number.isSafeInteger(size) && size > 0).toBe(true);
      });
      outcomeOf(() =>
        projectFacts(new Map([['setup.cfg', mutated(random, setup).toString()]]), 'x'),
      );
    });
  },
  FUZZ_TIMEOUT_MS,
);
