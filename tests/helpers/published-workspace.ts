import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '#store';
import { faultyProxy, type FaultyProxy } from '../../tools/store/src/testing/faulty-proxy.ts';
import { runInProcess } from './run-in-process.ts';
import { storePlannedImages } from './store-planned-images.ts';
import { testWorkspace, type TestWorkspace } from './workspace.ts';

/** A registry on loopback and workspaces with one image, for tests of publishing. */
export interface PublishingTest {
  readonly folder: string;
  readonly registry: FaultyProxy;
  /** A workspace with the definition of the image `base` and its lock. */
  workspace(): Promise<TestWorkspace>;
  /** Stores the images of the plan, like a build whose tests passed, and writes the image set. */
  build(workspace: TestWorkspace): Promise<void>;
  run(
    workspace: TestWorkspace,
    ...args: readonly string[]
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
  close(): Promise<void>;
}

export async function publishingTest(): Promise<PublishingTest> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-publishing-'));
  const remote = await openStore({ folder: join(folder, 'store') });
  const registry = await faultyProxy(remote);
  const workspaces: TestWorkspace[] = [];
  const env = {
    CCP_CACHE: join(folder, 'cache'),
    DOCKER_HOST: 'unix:///nothing.sock',
    DOCKER_CONFIG: folder,
    REGISTRY_AUTH_FILE: join(folder, 'none.json'),
  };
  const run: PublishingTest['run'] = async ({ root }, ...args) => {
    const { exitCode, stdout, stderr } = await runInProcess(root, args, env);
    return { exitCode, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
  };
  return {
    folder,
    registry,
    run,
    async workspace() {
      const made = testWorkspace();
      workspaces.push(made);
      made.write(
        'images/base/image.yaml',
        'title: Base\ndescription: An image.\nroot: the base of the test\n',
      );
      made.write('images/base/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
      made.write('images/base/files/a', 'a\n');
      const { exitCode, stderr } = await run(made, 'lock');
      if (exitCode !== 0) throw new Error(stderr);
      return made;
    },
    async build(workspace) {
      await storePlannedImages(workspace.root, env);
      const { exitCode, stderr } = await run(workspace, 'build');
      if (exitCode !== 0) throw new Error(stderr);
    },
    async close() {
      await registry.close();
      await remote.close();
      for (const workspace of workspaces) workspace.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
