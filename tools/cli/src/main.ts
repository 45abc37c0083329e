import { spawnSync } from 'node:child_process';

const [verb] = process.argv.slice(2);
if (verb !== 'test') {
  process.stderr.write('ccp: only `test` is wired up yet\n');
  process.exit(2);
}
const root = new URL('../../../', import.meta.url).pathname;
for (const command of [
  ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.base.json'],
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/vitest.config.ts'],
]) {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
