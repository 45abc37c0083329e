import { fileURLToPath } from 'node:url';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { TEST_SUFFIXES, testGroup } from '../tools/cli/src/commands/test/test-groups.ts';

/**
 * Runs one group of tests (`CCP_TEST_GROUP`, default `fast`); tests/README.md describes the groups.
 * The files of all groups but `fast` run one at a time.
 */
const group = testGroup(process.env['CCP_TEST_GROUP'] ?? 'fast');
const fast = group === 'fast';
const { fast: _, ...others } = TEST_SUFFIXES;

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['tools', 'tests'].map((folder) => `${folder}/**/*${TEST_SUFFIXES[group]}`),
    exclude: [
      '**/node_modules/**',
      ...(fast ? Object.values(others).map((suffix) => `**/*${suffix}`) : []),
    ],
    // Files share a worker: none of them leaves anything behind, and a worker for each costs more
    // than most files.
    isolate: false,
    fileParallelism: fast,
    maxWorkers: fast ? availableParallelism() : 1,
    globalSetup: fast ? ['tests/helpers/temporary-folder.ts'] : [],
    testTimeout: fast ? 60_000 : 600_000,
    hookTimeout: fast ? 60_000 : 2_400_000,
    // A machine that is busy with builds answers late.
    expect: { poll: { timeout: 20_000 } },
    passWithNoTests: false,
  },
});
