import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { clusterModules, type ProgramModule } from './cluster-modules.ts';
import { goToolchain } from './go-toolchain.ts';
import { runCommand } from './run-command.ts';

/** Absolute paths of programs by name, and of the folder with kwok's own stages. */
export interface ClusterPrograms {
  readonly programs: Readonly<Record<string, string>>;
  readonly stages: string;
}

/** `~/.cache/ccp/kubernetes`, moved by CCP_CACHE and XDG_CACHE_HOME. */
export function clusterCache(environment: Readonly<NodeJS.ProcessEnv> = process.env): string {
  return join(environment['CCP_CACHE'] ?? join(environment['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ccp'), 'kubernetes');
}

/**
 * The programs of a control plane, built from Go modules whose every byte go.sum names, kept by the hash of what they are made
 * of. First on a machine of two cores: ten minutes; then no time. Raises where `go` is missing or a build fails.
 */
export async function buildPrograms(say: (sentence: string) => void, minor?: string, cache: string = clusterCache()): Promise<ClusterPrograms> {
  const built: Record<string, string> = {};
  for (const module of clusterModules(minor)) {
    const folder = await buildModule(module, cache, say);
    for (const program of Object.keys(module.programs)) built[program] = join(folder, program);
  }
  return { programs: built, stages: join(built['kwok'] as string, '..', 'stage') };
}

async function buildModule(module: ProgramModule, cache: string, say: (sentence: string) => void): Promise<string> {
  const flags = ['-trimpath', '-mod=readonly', '-buildvcs=false', '-ldflags', ['-s', '-w', ...module.linkerFlags].join(' ')];
  const folder = join(cache, `${module.name}-${await hashOf(module, flags)}`);
  if (await exists(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const partial = `${folder}.${process.pid}`;
  try {
    await compile(module, await goToolchain(cache), { flags, into: partial, say });
    await rename(partial, folder).catch(async (thrown: unknown) => {
      if (!(await exists(folder))) throw thrown;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

async function compile({ name, folder, programs }: ProgramModule, go: string, { flags, into, say }: { readonly flags: readonly string[]; readonly into: string; readonly say: (sentence: string) => void }): Promise<void> {
  const env = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '', GOROOT: '' };
  for (const [program, source] of Object.entries(programs)) {
    say(`building ${program} (${name}); the first time takes minutes`);
    await runCommand(go, ['build', ...flags, '-o', join(into, program), source], { folder, env });
  }
  if (name !== 'kwok') return;
  const source = (await runCommand(go, ['list', '-m', '-f', '{{.Dir}}', 'sigs.k8s.io/kwok'], { folder, env })).trim();
  await cp(join(source, 'kustomize', 'stage'), join(into, 'stage'), { recursive: true });
  await runCommand('chmod', ['-R', 'u+w', into]);
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(() => true, () => false);
}

async function hashOf({ folder, programs }: ProgramModule, flags: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([programs, flags]));
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}
