import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: { include: ['tools/**/*.test.ts', 'tests/**/*.test.ts'], exclude: ['**/node_modules/**'], passWithNoTests: false },
});
