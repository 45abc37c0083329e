import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore } from '#store';
import { expectationsKey } from '../../tools/cli/src/compose/definition-expectations.ts';
import { openProject, planProject } from '../../tools/cli/src/compose/plan.ts';
import { componentsOf } from '../../tools/cli/src/compose/statements/components.ts';
import { openPassedTests } from '../../tools/cli/src/state/passed-tests.ts';
import { fixtureTar } from '../../tools/store/src/testing/fixture-tar.ts';
import { pushAndSeal } from '../../tools/store/src/testing/push-image.ts';
import { generateWorkspace } from './generate-workspace.ts';
import { measureOnce, report, type Cost } from './measure.ts';

/** Usage: `publish.bench.ts [IMAGES]`; `serve FOLDER` runs the registry in a process of its own. */
const [, script, first = '300', remote = ''] = process.argv;
const tool = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

if (first === 'serve') await serve(remote);
else await measurePublish(Number(first));

/** Serves the embedded registry until the input ends; prints its address and login. */
async function serve(folder: string): Promise<void> {
  const store = await openStore({ folder });
  process.stdout.write(`${JSON.stringify({ address: store.address, login: store.login })}\n`);
  process.stdin.on('end', () => void store.close());
  process.stdin.resume();
}

async function measurePublish(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-publish-'));
  const workspace = join(folder, 'workspace');
  let registry: ChildProcess | undefined;
  try {
    generateWorkspace(workspace, count, tool);
    await storeImages(workspace);
    registry = spawn(process.execPath, [script as string, 'serve', join(folder, 'remote')], {
      cwd: tool,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(registry.stdout!, 'data')) as [Buffer];
    const { address, login } = JSON.parse(line.toString()) as {
      readonly address: string;
      readonly login: { readonly user: string; readonly password: string };
    };
    const auth = Buffer.from(`${login.user}:${login.password}`).toString('base64');
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ auths: { [address]: { auth } } }));
    const env = { DOCKER_CONFIG: folder, REGISTRY_AUTH_FILE: join(folder, 'config.json') };
    const run = (title: string, ...args: readonly string[]): Cost => {
      const cost = measureOnce([join(tool, 'ccp'), '-q', ...args], workspace, env);
      const { milliseconds, processorSeconds } = cost;
      process.stdout.write(
        `${title}, ${count} images: ${(milliseconds / 1000).toFixed(1)} s, ${(milliseconds / count).toFixed(1)} ms an image, ${processorSeconds.toFixed(1)} s of processor\n`,
      );
      return cost;
    };
    const key = join(folder, 'release.key');
    run('keygen', 'keygen', key);
    run('build', 'build');
    const to = ['--to', `${address}/ccp`, '--key', key];
    const published = run('publish', 'publish', ...to);
    const again = run('publish again', 'publish', ...to);
    run('release', 'release', 'create', '2026.1.0', ...to);
    const from = ['--from', `${address}/ccp`, '--trust', `${key}.pub`];
    const verify = run('verify', 'verify', '2026.1.0', ...from);
    report('publish', { images: count, first: published, second: again, verify });
  } finally {
    registry?.stdin?.end();
    if (registry !== undefined && registry.exitCode === null) await once(registry, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Stores every image of the workspace with the packages of its locks, as a tested build does. */
async function storeImages(workspace: string): Promise<void> {
  const project = openProject(workspace, undefined);
  const { images, series, platform } = planProject(project, []);
  const passed = openPassedTests(project.paths, series);
  const store = await openStore({ folder: project.paths.store });
  for (const { image, fingerprint, record } of images) {
    const status = componentsOf(project, image)
      .map(
        ({ name, version }) =>
          `Package: ${name}\nStatus: install ok installed\nArchitecture: amd64\nVersion: ${version}\n\n`,
      )
      .join('');
    const layer = fixtureTar([
      { name: 'var/lib/dpkg/status', type: 'file', content: status },
      { name: 'image', type: 'file', content: image },
    ]);
    const { labels } = record;
    const identity = { image, fingerprint, series, platform, contentKey: fingerprint, labels };
    const stored = await pushAndSeal(store, identity, [layer]);
    await store.publish(stored);
    passed.add(image, stored.digest, expectationsKey(project.graph.images.get(image)!));
  }
  await store.close();
}
