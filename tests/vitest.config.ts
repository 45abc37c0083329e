import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/**
 * Four groups: what runs anywhere in seconds; what keeps an engine busy; what mostly waits, for a control plane, members of a cluster,
 * mirrors or a clock; and what takes many minutes even where all is cached. All but the first go one file at a time, the slow ones
 * beside those that keep an engine busy.
 */
const GROUPS = { unit: '.test.ts', engine: '.engine.test.ts', slow: '.slow.test.ts', long: '.long.test.ts' } as const;
const group = (process.env['CCP_TEST_GROUP'] ?? 'unit') as keyof typeof GROUPS;
const unit = group === 'unit';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['tools', 'tests'].map((folder) => `${folder}/**/*${GROUPS[group]}`),
    exclude: ['**/node_modules/**', ...(unit ? [GROUPS.engine, GROUPS.slow, GROUPS.long].map((suffix) => `**/*${suffix}`) : [])],
    // Files share a worker: none of them leaves anything behind, and a worker for each costs more than most files.
    isolate: false,
    fileParallelism: unit,
    maxWorkers: unit ? availableParallelism() : 1,
    globalSetup: unit ? ['tests/support/temporary-folder.ts'] : [],
    testTimeout: unit ? 60_000 : 600_000,
    hookTimeout: unit ? 60_000 : 2_400_000,
    // A machine that is busy with builds answers late.
    expect: { poll: { timeout: 20_000 } },
    passWithNoTests: false,
  },
});
