import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['tools/**/*.test.ts', 'tests/**/*.test.ts'], exclude: ['**/node_modules/**'], passWithNoTests: false },
});
