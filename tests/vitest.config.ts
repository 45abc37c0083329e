import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const withEngine = process.env['CCP_TEST_GROUP'] === 'engine';
const engineTests = '**/*.engine.test.ts';

/** Two groups: what runs anywhere in seconds, and what needs an engine (one file at a time; each has the machine to itself). */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: withEngine ? [`tools/${engineTests}`, `tests/${engineTests}`] : ['tools/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['**/node_modules/**', ...(withEngine ? [] : [engineTests])],
    // Files share a worker: none of them leaves anything behind, and a worker for each costs more than most files.
    isolate: false,
    fileParallelism: !withEngine,
    maxWorkers: withEngine ? 1 : availableParallelism(),
    globalSetup: withEngine ? [] : ['tests/support/temporary-folder.ts'],
    testTimeout: withEngine ? 600_000 : 20_000,
    hookTimeout: withEngine ? 2_400_000 : 20_000,
    passWithNoTests: false,
  },
});
