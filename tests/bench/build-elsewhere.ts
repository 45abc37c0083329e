import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startPrivateEngine, stopPrivateEngine } from '#engines';
import { REPOSITORY } from '../helpers/ccp.ts';
import { unpackDockerd } from './foreign-dockerd.ts';

/** Where and how to build images a second time. */
export interface ElsewhereOptions {
  /**
   * Folder of the cache and the clone; the folders of the engine have the same parent, since only
   * root may write there. A second run continues in them.
   */
  readonly folder: string;
  /** Name of the clone in `folder`. */
  readonly name: string;
  readonly images: readonly string[];
  readonly series: string;
  /** Number of the user that runs the build; the current user if absent. */
  readonly user?: number;
  /** Debian release of the engine; the installed engine if absent. */
  readonly release?: string;
  readonly umask: string;
  readonly env: Readonly<Record<string, string>>;
  /** Called during the build and after it, to keep its results. */
  readonly onProgress: (tree: string, engine: string) => void;
}

/** How a build ended. */
export interface ElsewhereBuild {
  /** Path of the clone. */
  readonly tree: string;
  /** Version of the engine. */
  readonly engine: string;
  readonly exitCode: number;
}

const PROGRESS_MS = 5000;
const cache =
  process.env['CCP_CACHE'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(process.env['HOME'] ?? '/root', '.cache'), 'ccp');

/**
 * Builds images without the engine's build cache in a clone of the last commit, on an engine of its
 * own, from a copy of the input cache and without network. Images that an earlier run in `folder`
 * stored are not built again. Needs root.
 */
export async function buildElsewhere(options: ElsewhereOptions): Promise<ElsewhereBuild> {
  const { folder, name, images, series, user, release, umask, env, onProgress } = options;
  const data = `${folder}-engine`;
  mkdirSync(folder, { recursive: true });
  mkdirSync(data, { mode: 0o700, recursive: true });
  const foreign =
    release === undefined ? undefined : unpackDockerd(release, `${folder}-dockerd`, data);
  const engine = await startPrivateEngine({
    folder: data,
    say: (text) => void process.stderr.write(`${text}\n`),
    ...(foreign === undefined ? {} : { program: foreign.program }),
  });
  try {
    const version = engineVersion(engine.endpoint);
    const tree = cloneInto(folder, name);
    const own = copyCache(folder);
    if (user !== undefined) {
      must('chown', ['-R', `${user}:${user}`, tree, own]);
      chownSync(folder, user, user);
      const socket = new URL(engine.endpoint).pathname;
      must('chmod', ['711', dirname(socket), dirname(dirname(socket))]);
      must('chmod', ['666', socket]);
    }
    const as =
      user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
    const flags = ['--no-cache', '--offline', '--series', series, '--engine', engine.endpoint];
    const command = [...as, join(tree, 'ccp'), 'build', ...images, ...flags];
    const timer = setInterval(() => onProgress(tree, version), PROGRESS_MS);
    const exitCode = await run(['sh', '-c', `umask ${umask}; exec "$@"`, 'sh', ...command], tree, {
      ...process.env,
      CCP_CACHE: own,
      HOME: folder,
      ...env,
    }).finally(() => clearInterval(timer));
    onProgress(tree, version);
    return { tree, engine: version, exitCode };
  } finally {
    await stopPrivateEngine(data);
  }
}

/** A clone of the last commit with its npm packages; it keeps the state of an earlier clone. */
function cloneInto(folder: string, name: string): string {
  const tree = join(folder, name);
  const [state, kept] = [join(tree, '.ccp'), join(folder, 'state')];
  if (existsSync(state)) renameSync(state, kept);
  rmSync(tree, { recursive: true, force: true });
  must('git', ['clone', '-q', REPOSITORY, tree]);
  must('cp', ['-r', '--no-dereference', join(REPOSITORY, 'node_modules'), tree]);
  if (existsSync(kept)) renameSync(kept, state);
  return tree;
}

function copyCache(folder: string): string {
  const own = join(folder, 'cache');
  mkdirSync(own, { recursive: true });
  const parts = ['node', 'sha256', 'derived'].map((part) => join(cache, part));
  must('cp', ['-r', '--update', '--reflink=auto', ...parts, own]);
  return own;
}

/** Runs a command in `cwd`; resolves with its exit code. SIGTERM and SIGINT are passed to it. */
function run(
  [program, ...args]: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const child = spawn(program!, args, { cwd, stdio: 'inherit', env });
  const stop = (): void => void child.kill('SIGINT');
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  }).finally(() => process.off('SIGTERM', stop).off('SIGINT', stop));
}

function engineVersion(endpoint: string): string {
  const socket = new URL(endpoint).pathname;
  const text = must('curl', ['-fsS', '--unix-socket', socket, 'http://engine/version']);
  return (JSON.parse(text) as { readonly Version: string }).Version;
}

/** The output of a command; throws its error output if it fails. */
export function must(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
  return stdout;
}
