import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startPrivateEngine, stopPrivateEngine } from '#engines';
import { parseImageSet, type ImageSet } from '#release';
import { report } from './measure.ts';

// Two builds of a set of images and their ancestors without engine cache, in different folders, by
// different users, with different time zones, umasks and engines. Fails if digests differ.
const SERIES = process.argv[2] ?? '2026.1';
const IMAGES =
  process.argv.length > 3
    ? process.argv.slice(3)
    : ['keystone', 'mariadb', 'memcached', 'rabbitmq'];
const tool = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');
const cache =
  process.env['CCP_CACHE'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(process.env['HOME'] ?? '/root', '.cache'), 'ccp');
const NOBODY = 65534;

interface Build {
  readonly set: ImageSet;
  readonly seconds: number;
}

async function buildIn(
  name: string,
  user: number | undefined,
  env: Readonly<Record<string, string>>,
): Promise<Build> {
  const folder = mkdtempSync(join(tmpdir(), `ccp-${name}-`));
  const engine = await startPrivateEngine({
    folder: join(folder, 'engine'),
    say: (text) => void process.stderr.write(`${text}\n`),
  });
  try {
    const tree = join(folder, 'tree');
    must(spawnSync('git', ['clone', '-q', tool, tree]));
    cpSync(join(tool, 'node_modules'), join(tree, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    const own = join(folder, 'cache');
    mkdirSync(own);
    must(
      spawnSync('cp', [
        '-r',
        '--reflink=auto',
        ...['node', 'sha256', 'derived'].map((part) => join(cache, part)),
        own,
      ]),
    );
    if (user !== undefined) {
      must(spawnSync('chown', ['-R', `${user}:${user}`, tree, own]));
      chownSync(folder, user, user);
      const socket = new URL(engine.endpoint).pathname;
      must(spawnSync('chmod', ['711', dirname(socket), dirname(dirname(socket))]));
      must(spawnSync('chmod', ['666', socket]));
    }
    const start = Date.now();
    const command = [
      join(tree, 'ccp'),
      'build',
      ...IMAGES,
      '--series',
      SERIES,
      '--rebuild',
      '--no-cache',
      '--offline',
      '--engine',
      engine.endpoint,
    ];
    const asUser =
      user === undefined
        ? command
        : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', ...command];
    const { status } = spawnSync(
      'sh',
      ['-c', `umask ${env['UMASK'] ?? '022'}; exec "$@"`, 'sh', ...asUser],
      {
        cwd: tree,
        stdio: 'inherit',
        env: { ...process.env, CCP_CACHE: own, HOME: folder, ...env },
      },
    );
    if (status !== 0) throw new Error(`the build in ${tree} ended with ${status}`);
    const file = join(tree, '.ccp/sets', `${SERIES}.json`);
    return {
      set: parseImageSet(readFileSync(file, 'utf8'), file),
      seconds: (Date.now() - start) / 1000,
    };
  } finally {
    await stopPrivateEngine(join(folder, 'engine'));
    rmSync(folder, { recursive: true, force: true });
  }
}

function must({ status, stderr }: { status: number | null; stderr: Buffer }): void {
  if (status !== 0) throw new Error(String(stderr));
}

const first = await buildIn('first', undefined, { TZ: 'UTC' });
const second = await buildIn('second', NOBODY, {
  TZ: 'Pacific/Auckland',
  LC_ALL: 'C',
  UMASK: '077',
});
const rows = first.set.images.map(({ name, digest }) => ({
  image: name,
  first: digest,
  second: second.set.images.find((image) => image.name === name)?.digest,
}));
const equal = rows.length > 0 && rows.every((row) => row.first === row.second);
for (const row of rows)
  process.stdout.write(
    `${row.image.padEnd(20)} ${row.first === row.second ? 'equal' : 'DIFFERS'} ${row.first} ${row.first === row.second ? '' : row.second}\n`,
  );
process.stdout.write(
  `${rows.length} images built twice without cache (${first.seconds.toFixed(0)} s, ${second.seconds.toFixed(0)} s): ${equal ? 'all digests equal' : 'DIGESTS DIFFER'}\n`,
);
report(`reproducible-${SERIES}`, {
  series: SERIES,
  equal,
  seconds: [first.seconds, second.seconds],
  rows,
});
process.exitCode = equal ? 0 : 1;
