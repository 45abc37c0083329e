import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startPrivateEngine } from '#engines';
import type { FaultWorkspace } from './fault-workspace.ts';
import type { Part } from './fault-parts.ts';

interface RunningEngine {
  readonly folder: string;
  readonly pid: number;
  readonly say: (text: string) => void;
}

/** Stops the engine when some images of a build have names, and starts it again after 5 s. */
export function restartEngine(workspace: FaultWorkspace, engine: RunningEngine): Part {
  return async (expect) => {
    workspace.change(2_000_000);
    const before = namesIn(workspace);
    let isDone = false;
    const build = workspace.build().finally(() => (isDone = true));
    while (!isDone && namesIn(workspace) < before + 3) await setTimeout(20);
    expect(!isDone, 'the build ended before the engine was stopped');
    process.kill(engine.pid, 'SIGTERM');
    while (existsSync(`/proc/${engine.pid}`)) await setTimeout(50);
    await setTimeout(5000);
    await startPrivateEngine(engine);
    const { exitCode, stderr } = await build;
    expect(exitCode === 0, `the build ended with ${exitCode}: ${stderr.slice(-500)}`);
    const stored = await workspace.stored();
    expect(stored.length === 12, `only ${stored.length} images are named`);
    return { exitCode, images: stored.length };
  };
}

function namesIn({ root }: FaultWorkspace): number {
  const file = join(root, '.ccp/store/index.json');
  if (!existsSync(file)) return 0;
  const { manifests } = JSON.parse(readFileSync(file, 'utf8')) as { manifests: unknown[] };
  return manifests.length;
}
