import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateWorkspace } from './generate-workspace.ts';
import { measure, median, report } from './measure.ts';

// `ccp affected` in a generated workspace with one changed file: the first run reads the base from
// git, later runs have its fingerprints in the state folder.
const tool = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const target = { images: 300, warm: 500 };
const folder = mkdtempSync(join(tmpdir(), 'ccp-bench-'));
try {
  generateWorkspace(folder, target.images, tool);
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a', ...args], { cwd: folder });
  writeFileSync(join(folder, '.gitignore'), '.ccp\n');
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'base');
  writeFileSync(join(folder, 'images/image-0007/files/0.conf'), 'changed\n');
  const command = [join(tool, 'ccp'), 'affected'];
  const cold = [0, 1, 2].map(() => {
    rmSync(join(folder, '.ccp'), { recursive: true, force: true });
    return timed(command);
  });
  const warm = measure(command, folder, 15).map(({ milliseconds }) => milliseconds);
  const figures = { images: target.images, cold: median(cold), warm: median(warm), target };
  process.stdout.write(
    `ccp affected, ${target.images} images: first run ${figures.cold.toFixed(0)} ms, later runs ${figures.warm.toFixed(0)} ms (target: ${target.warm} ms)\n`,
  );
  report('affected', figures);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function timed([program = '', ...args]: readonly string[]): number {
  const start = performance.now();
  execFileSync(program, args, { cwd: folder, stdio: 'ignore' });
  return performance.now() - start;
}
