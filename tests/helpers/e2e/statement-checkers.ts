import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPrograms } from '#cluster';
import { CLUSTER_CACHE } from '../cluster/cluster-cache.ts';

/** Exit status and all output of a checker. */
export interface Checked {
  readonly status: number | null;
  readonly output: string;
}

/** Checks an SPDX document in a file with spdx-tools, which pip fetches by hashes on first use. */
export function checkSpdx(file: string): Checked {
  const list = fileURLToPath(new URL('spdx-tools/requirements.txt', import.meta.url));
  const hash = createHash('sha256').update(readFileSync(list)).digest('hex').slice(0, 16);
  const folder = join(dirname(CLUSTER_CACHE), 'tools', `spdx-tools-${hash}`);
  if (!existsSync(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    const partial = mkdtempSync(join(dirname(folder), '.fetch-'));
    const pip = ['-m', 'pip', '-q', 'install', '--no-deps', '--only-binary', ':all:'];
    const args = [...pip, '--require-hashes', '-r', list, '--target', join(partial, 'tool')];
    execFileSync('python3', args, { stdio: 'pipe' });
    if (!existsSync(folder)) renameSync(join(partial, 'tool'), folder);
    rmSync(partial, { recursive: true, force: true });
  }
  return run('python3', ['-m', 'spdx_tools.spdx.clitools.pyspdxtools', '-i', file], {
    env: { ...process.env, PYTHONPATH: folder },
  });
}

/**
 * Reads an OpenVEX document with go-vex, whose program is built on first use. The output has a line
 * `CVE PRODUCT STATUS` for each product of a statement.
 */
export async function checkOpenVex(document: string): Promise<Checked> {
  const folder = fileURLToPath(new URL('vex-check', import.meta.url));
  const { vex } = await buildPrograms(
    [{ name: 'vex-check', folder, programs: { vex: '.' }, linkerFlags: [] }],
    { cache: CLUSTER_CACHE, say: (sentence) => void process.stderr.write(`${sentence}\n`) },
  );
  return run(vex!, [], { input: document });
}

function run(
  program: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly input?: string },
): Checked {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', ...options });
  return { status, output: `${stdout}${stderr}`.trim() };
}
