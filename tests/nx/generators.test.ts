import { execFile } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { flushChanges, FsTree } from 'nx/src/generators/tree.js';
import { afterEach, beforeEach, expect, it } from 'vitest';
import generateImage from '../../tools/nx-plugin/src/generators/image.ts';
import moveImage from '../../tools/nx-plugin/src/generators/move.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;

const read = (path: string): string => readFileSync(join(workspace.root, path), 'utf8');
const run = (...args: readonly string[]) =>
  runInProcess(workspace.root, args, { CCP_CACHE: join(workspace.root, 'cache') });

/** Runs a generator like Nx: its callback after its changes are written. */
async function generate(work: (tree: FsTree) => Promise<() => void> | (() => void)): Promise<void> {
  const tree = new FsTree(workspace.root, false);
  const done = await work(tree);
  flushChanges(workspace.root, tree.listChanges());
  done();
}

function image(name: string, more: string, template: string): void {
  workspace.write(
    `images/${name}/image.yaml`,
    `title: ${name}\ndescription: An image.\nroot: a test\n${more}`,
  );
  workspace.write(`images/${name}/Dockerfile.njk`, template);
}

beforeEach(() => {
  workspace = testWorkspace();
  workspace.take('images/_shared/macros.njk');
  image('base', '', 'FROM scratch\nCOPY files /\n');
});
afterEach(() => workspace.remove());

it('creates an image that can be planned, with the next free user id', async () => {
  const user = 'user: { name: a, uid: 42470, gid: 42470, home: /a }\n';
  workspace.write(
    'images/other/image.yaml',
    `title: Other\ndescription: An image.\n${user}parents: { base: base }\n`,
  );
  workspace.write('images/other/Dockerfile.njk', 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\n');
  await generate((tree) => generateImage(tree, { name: 'web', base: 'base', packages: '' }));
  expect(read('images/web/image.yaml')).toContain('uid: 42471, gid: 42471');
  expect(await run('lock', 'web')).toMatchObject({ exitCode: 0 });
  expect((await run('plan', 'web')).stdout).toMatch(/^ {2}web +\S+ +build +not built yet$/m);
  await generate((tree) => generateImage(tree, { name: 'cache', base: 'base', title: "A 'b'" }));
  expect(read('images/cache/image.yaml')).toBe(
    [
      '# yaml-language-server: $schema=../../tools/definitions/schemas/image.schema.json',
      'title: "A \'b\'"',
      'description: "The service cache."',
      'parents:',
      '  base: base',
      'debian:',
      '  runtime:',
      '    on: base',
      '    packages: [cache]',
      'user: { name: cache, uid: 42472, gid: 42472, home: /var/lib/cache }',
      'tests:',
      '  commands:',
      '    - name: the program starts',
      '      run: [cache, --version]',
      '      version: cache',
      '',
    ].join('\n'),
  );
});

it('takes packages separated by blanks or commas, and the budget of the base', async () => {
  image('base', 'budget: 90MB\n', 'FROM scratch\nCOPY files /\n');
  const packages = 'redis-server, redis-tools libc6,';
  await generate((tree) => generateImage(tree, { name: 'web', base: 'base', packages }));
  expect(read('images/web/image.yaml')).toContain('packages: [redis-server, redis-tools, libc6]\n');
  expect(read('images/web/image.yaml')).toContain('\nbudget: 190MB # ');
});

it('refuses a name that exists, an invalid name and an unknown base', () => {
  const tree = new FsTree(workspace.root, false);
  const message = (options: Parameters<typeof generateImage>[1]): string => {
    try {
      generateImage(tree, options);
      return '';
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  expect(message({ name: 'base', base: 'base' })).toBe(
    'ccp: images/base exists already\n  -> choose another name',
  );
  expect(message({ name: 'A', base: 'base' })).toMatch(/^ccp: "A" is not an image name\n/);
  expect(message({ name: 'a', base: 'bas' })).toBe(
    'ccp: the workspace has no image "bas" for --base\n  -> did you mean "base"?',
  );
  expect(message({ name: 'a', base: 'base', packages: 'ok A_b "c: d' })).toBe(
    ['A_b', '"c:', 'd']
      .map(
        (name) =>
          `ccp: "${name}" in --packages is not the name of a Debian package\n  -> use names such as redis-server, separated by commas or blanks`,
      )
      .join('\n'),
  );
  expect(message({ name: 'a', base: 'base', packages: '', title: 'A "b"' })).toBe(
    'ccp: images/a/image.yaml:2:8: title must be one line without " \\ ` $ or control characters, not "A \\"b\\""',
  );
  expect(tree.listChanges()).toEqual([]);
});

it('describes each generator in `--help`', async () => {
  for (const name of ['image', 'move', 'remove']) {
    const { default: schema } = await import(
      `../../tools/nx-plugin/src/generators/${name}.schema.json`,
      { with: { type: 'json' } }
    );
    const { default: list } = await import('../../tools/nx-plugin/generators.json', {
      with: { type: 'json' },
    });
    const { generators } = list as { readonly generators: Record<string, { description: string }> };
    expect(schema.description).toBe(generators[name]!.description);
  }
});

it('renames an image with its modes, links and locks, and in its children', async () => {
  workspace.write('images/base/files/run', '#!/bin/sh\n');
  chmodSync(join(workspace.root, 'images/base/files/run'), 0o755);
  symlinkSync('run', join(workspace.root, 'images/base/files/link'));
  image(
    'child',
    'parents: { base: base } # base\nlabels: { a: base }\n',
    'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\n',
  );
  expect(await run('lock')).toMatchObject({ exitCode: 0 });
  await generate((tree) => moveImage(tree, { name: 'base', newName: 'ground' }));
  expect(existsSync(join(workspace.root, 'images/base'))).toBe(false);
  const stat = (name: string) => lstatSync(join(workspace.root, 'images/ground/files', name));
  expect(stat('run').mode & 0o777).toBe(0o755);
  expect(stat('link').isSymbolicLink()).toBe(true);
  expect(read('images/child/image.yaml')).toContain(
    'parents: { base: ground } # base\nlabels: { a: base }\n',
  );
  expect(await run('lock', '--check')).toMatchObject({
    exitCode: 0,
    stdout: '2 locks are up to date\n',
  });
});

it('refuses to rename an image that a site deploys', async () => {
  const tree = new FsTree(REPOSITORY, false);
  await expect(moveImage(tree, { name: 'keystone', newName: 'identity' })).rejects.toThrow(
    /^ccp: the site \w+ deploys keystone: another name would replace its objects in the cluster\n/,
  );
  await expect(moveImage(tree, { name: 'keyston', newName: 'identity' })).rejects.toThrow(
    'ccp: this workspace has no image "keyston"\n  -> did you mean "keystone"?',
  );
  expect(tree.listChanges()).toEqual([]);
});

it('is found by Nx, and removes only images that nothing depends on', async () => {
  const nx = (...args: readonly string[]) =>
    promisify(execFile)(
      process.execPath,
      [join(REPOSITORY, 'node_modules/nx/dist/bin/nx.js'), 'g', ...args, '--dry-run'],
      {
        cwd: REPOSITORY,
        env: { ...process.env, NX_DAEMON: 'false', NX_CACHE_PROJECT_GRAPH: 'false' },
      },
    ).then(
      ({ stdout }) => stripVTControlCharacters(stdout),
      ({ stderr }: { readonly stderr: string }) => stripVTControlCharacters(stderr),
    );
  expect(await nx('ccp:image', 'redis')).toContain(
    'CREATE images/redis/image.yaml\nCREATE images/redis/Dockerfile.njk\n',
  );
  expect(await nx('ccp:remove', 'keystone')).toMatch(
    /keystone is still a dependency of the following projects:\n(?:\n.+)*\nsite-/,
  );
  const removed = await nx('ccp:remove', 'keystone', '--force');
  expect(removed).toContain('DELETE images/keystone/image.yaml\n');
  expect(removed).not.toContain('UPDATE');
});
