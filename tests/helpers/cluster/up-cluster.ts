import { expect } from 'vitest';
import { ccp } from '../ccp.ts';

/** Starts the node of a folder by `ccp up`, with arguments such as a bundle. Needs root. */
export async function upCluster(root: string, ...args: readonly string[]): Promise<void> {
  const { exitCode, stdout, stderr } = await ccp(root, ['up', ...args, '--yes']);
  expect([exitCode, stdout], stderr).toEqual([0, expect.stringContaining('cluster is running')]);
}
