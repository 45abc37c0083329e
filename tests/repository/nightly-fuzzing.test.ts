import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';

const NIGHTLY = /CCP_FUZZ_SECONDS|--yes/;

it.each(['ci/github.yml', 'ci/gitlab.yml', 'tests/README.md'])(
  'runs every test with random input in the nightly job of %s',
  (file) => {
    const line = readFileSync(join(REPOSITORY, file), 'utf8')
      .split('\n')
      .find((each) => each.includes('tests/fuzz') && NIGHTLY.test(each));
    const patterns = line!.split('./ccp test ')[1]!.replace('--yes ', '').trim().split(' ');
    const fuzzers = globSync('{tools,tests}/**/*.test.ts', { cwd: REPOSITORY }).filter((path) =>
      /from '.*helpers\/fuzz\.ts'|process\.env\['CCP_FUZZ_SECONDS'\]/.test(
        readFileSync(join(REPOSITORY, path), 'utf8'),
      ),
    );
    expect(fuzzers.length).toBeGreaterThan(10);
    const missed = fuzzers.filter((path) => !patterns.some((pattern) => path.includes(pattern)));
    expect(missed).toEqual([]);
  },
);
