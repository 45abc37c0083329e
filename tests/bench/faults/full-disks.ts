import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { startPrivateEngine, stopPrivateEngine } from '#engines';
import { connectRegistry } from '#store';
import type { CommandResult } from '../../helpers/ccp.ts';
import { startDebianRegistry } from '../../helpers/e2e/debian-registry.ts';
import type { Part } from './fault-parts.ts';
import type { FaultWorkspace } from './fault-workspace.ts';
import { wrongNames } from './wrong-names.ts';

const DISK = 600 << 20;
/** Free bytes of a disk that is called full; 12 images need more. */
const FREE = 12 << 20;
/** Random bytes of each image. */
const IMAGE = 3 << 20;

/** A disk full during a build in the engine or the store, or during a publish in the registry. */
export function fullDisks(workspace: FaultWorkspace, folder: string) {
  const engineFull: Part = async (expect) => {
    const disk = mountDisk(join(folder, 'engine-disk'));
    const data = join(disk.path, 'engine');
    mkdirSync(data, { mode: 0o700 });
    const engine = await startPrivateEngine({ folder: data, say: () => undefined });
    try {
      const outcome = await buildOnFull(workspace, disk, engine.endpoint);
      checkBuild(expect, outcome);
      return figuresOf(outcome);
    } finally {
      await stopPrivateEngine(data).catch(() => process.kill(engine.pid));
      disk.remove();
    }
  };
  const storeFull: Part = async (expect) => {
    const own = join(workspace.root, '.ccp');
    const disk = mountDisk(join(folder, 'store-disk'));
    try {
      cpSync(own, disk.path, { recursive: true });
      execFileSync('mount', ['--bind', disk.path, own]);
      const outcome = await buildOnFull(workspace, disk, workspace.engine);
      checkBuild(expect, outcome);
      return figuresOf(outcome);
    } finally {
      execFileSync('umount', ['--lazy', own]);
      disk.remove();
    }
  };
  const registryFull: Part = async (expect) => {
    workspace.change(IMAGE);
    const built = await workspace.build();
    expect(built.exitCode === 0, built.stderr);
    const disk = mountDisk(join(folder, 'registry-disk'));
    const debian = await startDebianRegistry(disk.path);
    const prefix = 'full';
    const registry = await connectRegistry({ host: debian.address });
    const wrong = () => wrongNames({ registry, prefix }, workspace.set(), workspace.keys);
    try {
      disk.fill();
      const failed = await workspace.publish(`${debian.address}/${prefix}`);
      expect(failed.exitCode === 6, `the publish ended with ${failed.exitCode}`);
      const first = await wrong();
      expect(first.length === 0, first.join());
      disk.free();
      const next = await workspace.publish(`${debian.address}/${prefix}`);
      expect(next.exitCode === 0, next.stderr);
      const second = await wrong();
      expect(second.length === 0, second.join());
      return { exitCode: failed.exitCode, message: lastLines(failed), nextExitCode: next.exitCode };
    } finally {
      await debian.close();
      disk.remove();
    }
  };
  return { engineFull, storeFull, registryFull };
}

interface FullBuild {
  readonly failed: CommandResult;
  /** Images with a name after the failure, all of them whole. */
  readonly stored: readonly string[];
  /** The build after there was space again. */
  readonly next: CommandResult;
  readonly finished: readonly string[];
}

async function buildOnFull(
  workspace: FaultWorkspace,
  disk: Disk,
  engine: string,
): Promise<FullBuild> {
  workspace.change(IMAGE);
  disk.fill();
  const failed = await workspace.build(engine);
  disk.free();
  const stored = await workspace.stored();
  const next = await workspace.build(engine);
  return { failed, stored, next, finished: await workspace.stored() };
}

function checkBuild(
  expect: (isTrue: boolean, sentence: string) => void,
  { failed, stored, next, finished }: FullBuild,
): void {
  expect(failed.exitCode !== 0, 'the build on a full disk succeeded');
  expect(/no space|disk|space left/i.test(failed.stderr), `unclear: ${lastLines(failed)}`);
  expect(stored.length < 12, 'all images are named after the failure');
  expect(next.exitCode === 0, `the next build ended with ${next.exitCode}: ${lastLines(next)}`);
  expect(finished.length === 12, `only ${finished.length} images are named at the end`);
}

const figuresOf = ({ failed, stored, next }: FullBuild) => ({
  exitCode: failed.exitCode,
  message: lastLines(failed),
  namedAfterFailure: stored.length,
  nextExitCode: next.exitCode,
});

/** The end of the messages, without the folders of paths. */
const lastLines = ({ stderr }: CommandResult): string =>
  stderr
    .trimEnd()
    .replace(/(?<=\s)(?:\/[^\s/]+)+\//g, '')
    .slice(-400);

interface Disk {
  readonly path: string;
  fill(): void;
  free(): void;
  remove(): void;
}

/** An ext4 file system in a file. */
function mountDisk(path: string): Disk {
  const file = `${path}.img`;
  const filler = join(path, 'filler');
  mkdirSync(path);
  execFileSync('truncate', [`--size=${DISK}`, file]);
  execFileSync('mkfs.ext4', ['-q', '-m', '0', file]);
  execFileSync('mount', ['-o', 'loop', file, path]);
  return {
    path,
    fill() {
      const { bavail, bsize } = statfsSync(path);
      execFileSync('fallocate', [`--length=${bavail * bsize - FREE}`, filler]);
    },
    free: () => rmSync(filler),
    remove() {
      execFileSync('umount', ['--lazy', path]);
      rmSync(file);
    },
  };
}
