import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { CcpError } from '#core';
import { connectEngine, ensureEngines, type DockerEngine } from '#engines';
import type { Output } from '../report/output.ts';
import { programFolder, type Settings } from './settings.ts';

export interface Engines {
  /** `unix://` or `tcp://`, one for each engine. */
  readonly endpoints: readonly string[];
  readonly engines: readonly DockerEngine[];
}

export interface EngineRequest {
  readonly settings: Settings;
  readonly output: Output;
  /** Install missing Debian packages without asking. */
  readonly yes: boolean;
  /** Endpoints from the command line, which take precedence over the settings. */
  readonly endpoints?: readonly string[];
}

/** Folder of the private engine's data: in the user's program folder, shared by all workspaces. */
export function engineFolder(settings: Settings): string {
  return join(programFolder(settings), 'engine');
}

/**
 * Connects to the configured engines, else to a running one, else starts a private one. Throws
 * `endpoint-invalid`, `engine-unreachable` and `machine-package`.
 */
export async function openEngines({
  settings,
  output,
  yes,
  endpoints,
}: EngineRequest): Promise<Engines> {
  const found = await ensureEngines({
    endpoints: endpoints ?? settings.engines ?? [],
    folder: engineFolder(settings),
    installPackages: (names) => installPackages(names, output, yes),
    say: output.info,
  });
  return {
    endpoints: found,
    engines: await Promise.all(found.map((endpoint) => connectEngine(endpoint))),
  };
}

/**
 * Installs Debian packages after a notice; asks for confirmation unless `--yes` or CI is set.
 * Throws `machine-package` if the user declines or the installation fails.
 */
export async function installPackages(
  names: readonly string[],
  output: Output,
  yes: boolean,
): Promise<void> {
  const command = `apt-get install --no-install-recommends ${names.join(' ')}`;
  output.info(`missing Debian packages: ${names.join(' ')}`);
  const hint = `run as root: ${command}`;
  const refuse = (why: string): CcpError =>
    new CcpError({
      code: 'machine-package',
      message: `these packages are not installed: ${names.join(', ')}; ${why}`,
      hint,
    });
  if (process.getuid?.() !== 0) throw refuse('ccp needs root to install them');
  if (!yes && process.env['CI'] === undefined && process.env['CCP_YES'] === undefined) {
    if (process.stdin.isTTY !== true)
      throw refuse('without a terminal, ccp cannot ask (use --yes)');
    const prompt = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await prompt.question('Install them now? [y/N] ');
    prompt.close();
    if (!/^y(es)?$/i.test(answer.trim())) throw refuse('the installation was declined');
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['-q', 'update'],
    ['-q', '-y', 'install', '--no-install-recommends', ...names],
  ]) {
    const { status, stdout, stderr } = spawnSync('apt-get', args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
      encoding: 'utf8',
      maxBuffer: 64 << 20,
    });
    if (status === 0) continue;
    output.warn(`${stdout}${stderr}`.trimEnd().split('\n').slice(-20).join('\n'));
    throw refuse('apt-get failed to install them');
  }
}
