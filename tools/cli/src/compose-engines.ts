import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { CcpError } from '#core';
import { connectEngine, ensureEngines, type DockerEngine } from '#engines';
import type { Output } from './output.ts';
import { cacheFolder, type Settings } from './settings.ts';

export interface Engines {
  /** `unix://` or `tcp://`, one for each engine. */
  readonly endpoints: readonly string[];
  readonly engines: readonly DockerEngine[];
}

export interface EngineRequest {
  readonly settings: Settings;
  readonly output: Output;
  /** True where missing Debian packages are installed without asking. */
  readonly yes: boolean;
  /** Endpoints from the command line; they come before all others. */
  readonly endpoints?: readonly string[];
}

/** Where the private engine keeps its data: beside the cache, so that workspaces share it. */
export function engineFolder(settings: Settings): string {
  return join(cacheFolder(settings), 'engine');
}

/** Connects to the configured engines, or to one that answers, or to a private one that is started. Raises `endpoint-invalid`, `engine-unreachable` and `machine-package`. */
export async function openEngines({ settings, output, yes, endpoints }: EngineRequest): Promise<Engines> {
  const found = await ensureEngines({
    endpoints: endpoints ?? settings.engines ?? [],
    folder: engineFolder(settings),
    installPackages: (names) => installPackages(names, output, yes),
    say: output.info,
  });
  return { endpoints: found, engines: await Promise.all(found.map((endpoint) => connectEngine(endpoint))) };
}

/**
 * Installs Debian packages: says so first, asks on a terminal, goes on without asking for `--yes` and in CI. Raises
 * `machine-package` where that was refused or failed.
 */
export async function installPackages(names: readonly string[], output: Output, yes: boolean): Promise<void> {
  const command = `apt-get install --no-install-recommends ${names.join(' ')}`;
  output.info(`needs the Debian packages: ${names.join(' ')}`);
  const refuse = (why: string): CcpError => new CcpError({ code: 'machine-package', message: `${names.join(', ')} ${why}`, hint: `run as root: ${command}` });
  if (process.getuid?.() !== 0) throw refuse('cannot be installed without root');
  if (!yes && process.env['CI'] === undefined && process.env['CCP_YES'] === undefined) {
    if (process.stdin.isTTY !== true) throw refuse('is not installed, and there is no terminal to ask on (give --yes)');
    const prompt = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await prompt.question('Install them now? [y/N] ');
    prompt.close();
    if (!/^y(es)?$/i.test(answer.trim())) throw refuse('was not installed');
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [
    ['-q', 'update'],
    ['-q', '-y', 'install', '--no-install-recommends', ...names],
  ]) {
    const { status, stdout, stderr } = spawnSync('apt-get', args, { stdio: ['ignore', 'pipe', 'pipe'], env, encoding: 'utf8', maxBuffer: 64 << 20 });
    if (status === 0) continue;
    output.warn(`${stdout}${stderr}`.trimEnd().split('\n').slice(-20).join('\n'));
    throw refuse('could not be installed');
  }
}
