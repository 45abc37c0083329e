import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runProgram } from '../run-program.ts';
import { recordPrograms, requirePrivate, verifyPrograms } from '#host';
import { ensureGoToolchain } from './go-toolchain.ts';
import { findOtherBuilder, partialFolder } from './other-builder.ts';
import type { ProgramModule } from './program-modules.ts';

/**
 * Builds the programs of Go modules, which go.sum pins completely. Returns absolute paths of
 * programs and of their additional folders by name. They are cached in `cache` by the hash of their
 * inputs; builds by other processes are awaited. The first build takes about ten minutes with two
 * cores. Cached programs are verified on each start. Throws `machine-go` if `go` is missing,
 * `machine-command` if a build fails, `machine-program` and `machine-rights` if a program was or
 * could be replaced.
 */
export async function buildPrograms(
  modules: readonly ProgramModule[],
  { cache, say }: { readonly cache: string; readonly say: (sentence: string) => void },
): Promise<Readonly<Record<string, string>>> {
  const built: Record<string, string> = {};
  for (const module of modules) {
    const folder = await buildModule(module, cache, say);
    verifyPrograms(folder);
    for (const name of [...Object.keys(module.programs), ...Object.keys(module.folders ?? {})])
      built[name] = join(folder, name);
  }
  return built;
}

/** Whether all programs of the modules are in `cache`. */
export async function areProgramsBuilt(
  modules: readonly ProgramModule[],
  cache: string,
): Promise<boolean> {
  return (
    await Promise.all(modules.map(async (module) => existsSync(await folderOf(module, cache))))
  ).every(Boolean);
}

async function buildModule(
  module: ProgramModule,
  cache: string,
  say: (sentence: string) => void,
): Promise<string> {
  const folder = await folderOf(module, cache);
  for (let reported = false; !existsSync(folder); reported = true) {
    const other = await findOtherBuilder(folder);
    if (other === undefined) return await makeModule(module, folder, cache, say);
    if (!reported) say(`waiting for process ${other}, which builds ${module.name}`);
    await delay(1000);
  }
  return folder;
}

async function makeModule(
  module: ProgramModule,
  folder: string,
  cache: string,
  say: (sentence: string) => void,
): Promise<string> {
  const partial = partialFolder(folder);
  requirePrivate(cache, `the folder of programs ${cache}`);
  await mkdir(partial, { recursive: true });
  try {
    await compile(module, await ensureGoToolchain(cache), { into: partial, say });
    recordPrograms(partial);
    await rename(partial, folder).catch(async (thrown: unknown) => {
      if (!existsSync(folder)) throw thrown;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return folder;
}

async function compile(
  module: ProgramModule,
  go: string,
  { into, say }: { readonly into: string; readonly say: (sentence: string) => void },
): Promise<void> {
  const { name, folder, programs, folders = {} } = module;
  const env = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '', GOROOT: '' };
  for (const [program, source] of Object.entries(programs)) {
    say(`building ${program} (${name}); the first build takes minutes`);
    await runProgram(go, ['build', ...flagsOf(module), '-o', join(into, program), source], {
      folder,
      env,
    });
  }
  for (const [kept, [path, below]] of Object.entries(folders)) {
    const source = (
      await runProgram(go, ['list', '-m', '-f', '{{.Dir}}', path], { folder, env })
    ).trim();
    await cp(join(source, below), join(into, kept), { recursive: true });
    await runProgram('chmod', ['-R', 'u+w', into]);
  }
}

function flagsOf({ linkerFlags }: ProgramModule): readonly string[] {
  return [
    '-trimpath',
    '-mod=readonly',
    '-buildvcs=false',
    '-ldflags',
    ['-s', '-w', ...linkerFlags].join(' '),
  ];
}

/** Cache folder of a module's programs, named by the hash of their inputs. */
async function folderOf(module: ProgramModule, cache: string): Promise<string> {
  const { name, folder, programs, folders } = module;
  const hash = createHash('sha256').update(JSON.stringify([programs, flagsOf(module), folders]));
  for (const file of (await readdir(folder)).sort())
    hash.update(await readFile(join(folder, file)));
  return join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`);
}
