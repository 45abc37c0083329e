import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { startPrivateEngine, stopPrivateEngine } from '#engines';
import { parseImageSet, type ImageSet } from '#release';
import { unpackDockerd } from './foreign-dockerd.ts';
import { report } from './measure.ts';

// Builds images and their ancestors twice without engine cache: on the installed engine, and on the
// engine of another Debian release, by another user, with another umask, locale, time zone and
// path. Names the files that differ, and exits with 1 if a digest differs.
// Usage: reproducible.bench.ts [--series S] [--release SUITE] [--first WORKSPACE] [IMAGE...]
// Without names it builds all images. --first compares with the current set of a workspace, built
// by the installed engine, instead of a first build.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    series: { type: 'string', default: '2026.1' },
    release: { type: 'string', default: 'trixie' },
    first: { type: 'string' },
  },
});
const tool = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const cache =
  process.env['CCP_CACHE'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(process.env['HOME'] ?? '/root', '.cache'), 'ccp');
const NOBODY = 65534;

interface Build {
  readonly engine: string;
  readonly tree: string;
  readonly set: ImageSet;
  readonly seconds: number;
  readonly remove: () => void;
}

interface BuildOptions {
  readonly user?: number;
  /** Debian release of the engine; the installed engine if absent. */
  readonly release?: string;
  readonly env: Readonly<Record<string, string>>;
}

async function buildIn(name: string, { user, release, env }: BuildOptions): Promise<Build> {
  const folder = mkdtempSync(join(tmpdir(), `ccp-${name}-`));
  const data = join(folder, 'engine');
  mkdirSync(data, { mode: 0o700 });
  const foreign =
    release === undefined ? undefined : unpackDockerd(release, join(folder, 'dockerd'), data);
  const engine = await startPrivateEngine({
    folder: data,
    say: (text) => void process.stderr.write(`${text}\n`),
    ...(foreign === undefined ? {} : { program: foreign.program }),
  });
  try {
    const tree = join(folder, name);
    must(spawnSync('git', ['clone', '-q', tool, tree]));
    cpSync(join(tool, 'node_modules'), join(tree, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const own = join(folder, 'cache');
    mkdirSync(own);
    const inputs = ['node', 'sha256', 'derived'].map((part) => join(cache, part));
    must(spawnSync('cp', ['-r', '--reflink=auto', ...inputs, own]));
    if (user !== undefined) {
      must(spawnSync('chown', ['-R', `${user}:${user}`, tree, own]));
      chownSync(folder, user, user);
      const socket = new URL(engine.endpoint).pathname;
      must(spawnSync('chmod', ['711', dirname(socket), dirname(dirname(socket))]));
      must(spawnSync('chmod', ['666', socket]));
    }
    const start = Date.now();
    const args = ['build', ...positionals, '--series', values.series];
    const flags = ['--rebuild', '--no-cache', '--offline', '--engine', engine.endpoint];
    const command = [join(tree, 'ccp'), ...args, ...flags];
    const as = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
    const { status } = spawnSync(
      'sh',
      [
        '-c',
        `umask ${env['UMASK'] ?? '022'}; exec "$@"`,
        'sh',
        ...(user === undefined ? [] : as),
        ...command,
      ],
      {
        cwd: tree,
        stdio: 'inherit',
        env: { ...process.env, CCP_CACHE: own, HOME: folder, ...env },
      },
    );
    if (status !== 0) throw new Error(`the build in ${tree} ended with ${status}`);
    return {
      engine: engineVersion(engine.endpoint),
      tree,
      set: readSet(tree),
      seconds: (Date.now() - start) / 1000,
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await stopPrivateEngine(data);
  }
}

function readSet(tree: string): ImageSet {
  const file = join(tree, '.ccp/sets', `${values.series}.json`);
  return parseImageSet(readFileSync(file, 'utf8'), file);
}

function engineVersion(endpoint: string): string {
  const { stdout } = must(
    spawnSync('curl', [
      '-fsS',
      '--unix-socket',
      new URL(endpoint).pathname,
      'http://engine/version',
    ]),
  );
  return (JSON.parse(String(stdout)) as { readonly Version: string }).Version;
}

/** Version of the installed engine, such as 20.10.24+dfsg1. */
function installedVersion(): string {
  const { stdout } = must(spawnSync('dockerd', ['--version']));
  const version = /version ([^\s,]+)/u.exec(String(stdout))?.[1];
  if (version === undefined) throw new Error(`dockerd --version printed ${String(stdout)}`);
  return version;
}

function must<T extends { status: number | null; stderr: Buffer }>(result: T): T {
  if (result.status !== 0) throw new Error(String(result.stderr));
  return result;
}

const first: Build =
  values.first === undefined
    ? await buildIn('first', { env: { TZ: 'UTC' } })
    : {
        engine: installedVersion(),
        tree: values.first,
        set: readSet(values.first),
        seconds: 0,
        remove: () => undefined,
      };
const second = await buildIn('second tree', {
  user: NOBODY,
  release: values.release,
  env: { TZ: 'Pacific/Auckland', LC_ALL: 'C', UMASK: '077' },
});
try {
  const rows = second.set.images.map(({ name, digest }) => ({
    image: name,
    first: first.set.images.find((image) => image.name === name)?.digest,
    second: digest,
  }));
  const different = rows.filter((row) => row.first !== row.second);
  for (const row of rows)
    process.stdout.write(
      `${row.image.padEnd(20)} ${row.first === row.second ? `equal ${row.second}` : `DIFFERS ${row.first} ${row.second}`}\n`,
    );
  for (const row of different.filter(({ first: digest }) => digest !== undefined))
    spawnSync(
      join(tool, 'ccp'),
      [
        'diff-image',
        `oci:${join(first.tree, '.ccp/store')}@${row.first}`,
        `oci:${join(second.tree, '.ccp/store')}@${row.second}`,
      ],
      { stdio: 'inherit' },
    );
  process.stdout.write(
    `${rows.length} images built without cache on two engines (${first.engine}, ${second.engine}; ${first.seconds.toFixed(0)} s, ${second.seconds.toFixed(0)} s): ${different.length === 0 ? 'all digests equal' : `${different.length} DIFFER`}\n`,
  );
  report(`reproducible-${values.series}`, {
    series: values.series,
    equal: different.length === 0,
    engines: [first.engine, second.engine],
    seconds: [first.seconds, second.seconds],
    rows,
  });
  process.exitCode = rows.length > 0 && different.length === 0 ? 0 : 1;
} finally {
  first.remove();
  second.remove();
}
