import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPrivateEngine, stopPrivateEngine } from '#engines';
import { FaultWorkspace } from './faults/fault-workspace.ts';
import { fullDisks } from './faults/full-disks.ts';
import { killBuilds } from './faults/kill-builds.ts';
import { restartEngine } from './faults/restart-engine.ts';
import { runParts } from './faults/fault-parts.ts';

// Builds 12 images on an engine of its own and publishes them to Debian's docker-registry while
// things break: processes are killed, disks are full, the engine restarts. Exits with 1 if a name
// has wrong or missing content, if a fault is not named, or if the next run repeats finished work.
// Kills are added to those of earlier runs. Needs root.
// Usage: build-faults.bench.ts [--kills 200] [PART...]
// Parts: kills, restart, engineFull, storeFull, registryFull.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kills: { type: 'string', default: '200' } },
});

const folder = mkdtempSync(join(tmpdir(), 'ccp-build-faults-'));
const engineFolder = join(folder, 'engine');
const say = (text: string): void => void process.stderr.write(`${text}\n`);
mkdirSync(engineFolder, { mode: 0o700 });
const engine = await startPrivateEngine({ folder: engineFolder, say });
const workspace = await FaultWorkspace.open(folder, engine.endpoint);
try {
  const parts = {
    kills: killBuilds(workspace, Number(values.kills)),
    restart: restartEngine(workspace, { folder: engineFolder, pid: engine.pid, say }),
    ...fullDisks(workspace, folder),
  };
  await runParts('build-faults', parts, positionals, ['kills']);
} finally {
  await workspace.close();
  await stopPrivateEngine(engineFolder).catch(() => process.kill(engine.pid));
  rmSync(folder, { recursive: true, force: true });
}
