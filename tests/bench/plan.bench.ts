import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateWorkspace } from './generate-workspace.ts';
import { measure, median, report, type Cost } from './measure.ts';
import { storeEverything } from './store-everything.ts';

const tool = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');
const rows: Record<string, unknown>[] = [];

for (const { count, times } of [
  { count: 300, times: 15 },
  { count: 3000, times: 5 },
]) {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-bench-'));
  try {
    generateWorkspace(folder, count, tool);
    await storeEverything(folder);
    const ccp = summary(measure([join(tool, 'ccp'), 'plan'], folder, times));
    const nx = summary(
      measure(
        [process.execPath, join(tool, 'node_modules/nx/dist/bin/nx.js'), 'show', 'projects', '--affected', '--files=images/image-0000/image.yaml'],
        folder,
        count > 1000 ? 2 : 5,
        {
          NX_DAEMON: 'false',
        },
      ),
    );
    rows.push({ images: count, files: count * 10, ccp, nx, ratio: Number((nx.milliseconds / ccp.milliseconds).toFixed(1)) });
    process.stdout.write(
      `no-op plan, ${count} images: ccp plan ${ccp.milliseconds.toFixed(0)} ms ${(ccp.memory / 1e6).toFixed(0)} MB | nx show projects --affected ${nx.milliseconds.toFixed(0)} ms ${(nx.memory / 1e6).toFixed(0)} MB | nx/ccp ${(nx.milliseconds / ccp.milliseconds).toFixed(1)}\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
report('plan', { rows });

function summary(costs: readonly Cost[]): Cost & { readonly fastest: number } {
  return {
    milliseconds: median(costs.map(({ milliseconds }) => milliseconds)),
    memory: Math.max(...costs.map(({ memory }) => memory)),
    fastest: Math.min(...costs.map(({ milliseconds }) => milliseconds)),
  };
}
