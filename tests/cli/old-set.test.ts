import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';
import { missingImageSet } from '../helpers/missing-image-set.ts';
import { repositorySet } from '../helpers/repository-set.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

const IMAGES = ['keystone', 'mariadb', 'memcached', 'openstack-base', 'rabbitmq'];
const FOLDERS: string[] = [];

let checkout: TestWorkspace;
let today: string;

const render = (root: string, set: string) =>
  runInProcess(root, ['render', 'example', '--set', set]);

/** A folder with the site, the sets and `files`, and nothing else. */
function folder(files: Readonly<Record<string, string>> = {}): string {
  const { root, remove } = testWorkspace();
  remove();
  FOLDERS.push(root);
  const site = readFileSync(join(REPOSITORY, 'deploy-specs/example/site.yaml'), 'utf8');
  const all = {
    'deploy-specs/example/site.yaml': site,
    'set.json': repositorySet(IMAGES),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

beforeAll(async () => {
  checkout = testWorkspace();
  checkout.take('images', 'deploy-specs');
  checkout.write('set-1.json', missingImageSet(IMAGES));
  checkout.write('set.json', repositorySet(IMAGES));
  const { exitCode, stdout, stderr } = await render(
    checkout.root,
    join(checkout.root, 'set-1.json'),
  );
  expect([exitCode, stderr]).toEqual([
    0,
    `${join(checkout.root, 'set-1.json')} has format 1, without app specs: they are read from the workspace\n`,
  ]);
  today = stdout;
});

afterAll(() => {
  checkout.remove();
  for (const root of FOLDERS) rmSync(root, { recursive: true, force: true });
});

it('renders an image set without a checkout, with equal objects', async () => {
  const root = folder();
  expect(await render(root, join(root, 'set.json'))).toEqual({
    exitCode: 0,
    stdout: today,
    stderr: '',
  });
});

it('renders an older image set with its own app specs', async () => {
  const path = 'images/memcached/app.yaml';
  const text = readFileSync(join(REPOSITORY, path), 'utf8');
  checkout.write(path, text.replace('--port=11211', '--port=11212'));
  expect((await render(checkout.root, join(checkout.root, 'set.json'))).stdout).toBe(today);
  expect((await render(checkout.root, join(checkout.root, 'set-1.json'))).stdout).toContain(
    '--port=11212',
  );
  checkout.write(path, text);
});

it("replaces the set's app spec by that of an overlay", async () => {
  const text = readFileSync(join(REPOSITORY, 'images/memcached/app.yaml'), 'utf8');
  const root = folder({
    'overlay.yaml': `base: ${REPOSITORY}\n`,
    'images/memcached/app.yaml': text.replace('--port=11211', '--port=11212'),
  });
  expect(await render(root, join(root, 'set.json'))).toEqual({
    exitCode: 0,
    stdout: today.replace('--port=11211', '--port=11212'),
    stderr: '',
  });
});

it('warns of app specs that changed after the last build', async () => {
  checkout.write('.ccp/sets/2026.1.json', repositorySet(IMAGES));
  const path = 'images/memcached/app.yaml';
  const text = readFileSync(join(REPOSITORY, path), 'utf8');
  checkout.write(path, `${text}# Another end.\n`);
  expect(await runInProcess(checkout.root, ['render', 'example'])).toEqual({
    exitCode: 0,
    stdout: today,
    stderr: 'the image set has older app specs of memcached; run `ccp build` to update the set\n',
  });
  checkout.write(path, text);
});
