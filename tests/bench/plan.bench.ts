import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateWorkspace } from './generate-workspace.ts';
import { measure, median, report, type Cost } from './measure.ts';
import { storeEverything } from './store-everything.ts';

const tool = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
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
    const affected = ['show', 'projects', '--affected', '--files=images/image-0000/image.yaml'];
    const rival = [process.execPath, join(tool, 'node_modules/nx/dist/bin/nx.js'), ...affected];
    const nx = summary(measure(rival, folder, count > 1000 ? 2 : 5, { NX_DAEMON: 'false' }));
    const ratio = (nx.milliseconds / ccp.milliseconds).toFixed(1);
    rows.push({ images: count, files: count * 10, ccp, nx, ratio: Number(ratio) });
    const costs = ({ milliseconds, memory }: typeof ccp): string =>
      `${milliseconds.toFixed(0)} ms ${(memory / 1e6).toFixed(0)} MB`;
    process.stdout.write(
      `no-op plan, ${count} images: ccp plan ${costs(ccp)} | nx show projects --affected ${costs(nx)} | nx/ccp ${ratio}\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
report('plan', { rows });

function summary(costs: readonly Cost[]): Cost & { readonly fastest: number } {
  return {
    milliseconds: median(costs.map(({ milliseconds }) => milliseconds)),
    processorSeconds: median(costs.map(({ processorSeconds }) => processorSeconds)),
    memory: Math.max(...costs.map(({ memory }) => memory)),
    fastest: Math.min(...costs.map(({ milliseconds }) => milliseconds)),
  };
}
