import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runCommand } from '../run-command.ts';
import { goToolchain } from './go-toolchain.ts';
import { otherBuilder, partialOf } from './other-builder.ts';
import type { ProgramModule } from './program-modules.ts';

/**
 * The programs of Go modules whose every byte go.sum names, and the folders kept beside them, as absolute paths by name. They are
 * kept in `cache` by the hash of what they are made of; one that another process builds is waited for. First on a machine of two
 * cores: some ten minutes; then no time. Raises `machine-go` where `go` is missing, `machine-command` where a build fails.
 */
export async function buildPrograms(
  modules: readonly ProgramModule[],
  { cache, say }: { readonly cache: string; readonly say: (sentence: string) => void },
): Promise<Readonly<Record<string, string>>> {
  const built: Record<string, string> = {};
  for (const module of modules) {
    const folder = await buildModule(module, cache, say);
    for (const name of [...Object.keys(module.programs), ...Object.keys(module.folders ?? {})]) built[name] = join(folder, name);
  }
  return built;
}

/** Whether all programs of the modules are in `cache`. */
export async function areBuilt(modules: readonly ProgramModule[], cache: string): Promise<boolean> {
  return (await Promise.all(modules.map(async (module) => existsSync(await folderOf(module, cache))))).every(Boolean);
}

async function buildModule(module: ProgramModule, cache: string, say: (sentence: string) => void): Promise<string> {
  const folder = await folderOf(module, cache);
  for (let told = false; !existsSync(folder); told = true) {
    const other = await otherBuilder(folder);
    if (other === undefined) return await makeModule(module, folder, cache, say);
    if (!told) say(`process ${other} builds ${module.name}; waiting for it`);
    await delay(1000);
  }
  return folder;
}

async function makeModule(module: ProgramModule, folder: string, cache: string, say: (sentence: string) => void): Promise<string> {
  const partial = partialOf(folder);
  await mkdir(partial, { recursive: true });
  try {
    await compile(module, await goToolchain(cache), { into: partial, say });
    await rename(partial, folder).catch(async (thrown: unknown) => {
      if (!existsSync(folder)) throw thrown;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

async function compile(module: ProgramModule, go: string, { into, say }: { readonly into: string; readonly say: (sentence: string) => void }): Promise<void> {
  const { name, folder, programs, folders = {} } = module;
  const env = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '', GOROOT: '' };
  for (const [program, source] of Object.entries(programs)) {
    say(`building ${program} (${name}); the first time takes minutes`);
    await runCommand(go, ['build', ...flagsOf(module), '-o', join(into, program), source], { folder, env });
  }
  for (const [kept, [path, below]] of Object.entries(folders)) {
    const source = (await runCommand(go, ['list', '-m', '-f', '{{.Dir}}', path], { folder, env })).trim();
    await cp(join(source, below), join(into, kept), { recursive: true });
    await runCommand('chmod', ['-R', 'u+w', into]);
  }
}

function flagsOf({ linkerFlags }: ProgramModule): readonly string[] {
  return ['-trimpath', '-mod=readonly', '-buildvcs=false', '-ldflags', ['-s', '-w', ...linkerFlags].join(' ')];
}

/** Where a module's programs are kept: by the hash of all that they are made of. */
async function folderOf(module: ProgramModule, cache: string): Promise<string> {
  const { name, folder, programs, folders } = module;
  const hash = createHash('sha256').update(JSON.stringify([programs, flagsOf(module), folders]));
  for (const file of (await readdir(folder)).sort()) hash.update(await readFile(join(folder, file)));
  return join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`);
}
