import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { FaultWorkspace } from './fault-workspace.ts';
import type { Part } from './fault-parts.ts';
import { wrongNames } from './wrong-names.ts';

/**
 * Kills a build and publish of 12 new images at a random moment, checks all names of the store and
 * of the registry, and lets the next run finish: it must build and push only the others.
 */
export function killBuilds(workspace: FaultWorkspace, runs: number): Part {
  return async (expect) => {
    const run = async (prefix: string, kill: number | undefined): Promise<boolean> => {
      workspace.change(30_000);
      const child = workspace.start(prefix);
      const ended = once(child, 'exit');
      if (kill === undefined) return ((await ended)[0] as number | null) === 0;
      await Promise.race([setTimeout(kill), ended]);
      const isRunning = child.exitCode === null;
      if (isRunning) process.kill(-child.pid!, 'SIGKILL');
      await ended;
      return isRunning;
    };
    const start = performance.now();
    expect(await run('kills/whole', undefined), 'the run without a kill failed');
    let whole = performance.now() - start;
    let [killed, built, pushed] = [0, 0, 0];
    for (let round = 0; round < runs; round += 1) {
      const prefix = `kills/${round}`;
      const place = { registry: workspace.registry, prefix };
      const check = (isTrue: boolean, sentence: string): void =>
        expect(isTrue, `kill ${round}: ${sentence}`);
      const begin = performance.now();
      // A machine that is less busy than before ends the run earlier.
      if (await run(prefix, Math.random() * whole)) killed += 1;
      else whole = Math.min(whole, performance.now() - begin);
      const stored = await workspace.stored();
      const tagged = await workspace.tagged(prefix);
      built += stored.length;
      pushed += tagged.size;
      const next = await workspace.finish(prefix);
      const twice = next.built.filter((image) => stored.includes(image));
      check(twice.length === 0, `built again: ${twice.join()}`);
      const again = next.pushed.filter((image) => tagged.has(image));
      check(again.length === 0, `pushed again: ${again.join()}`);
      const set = workspace.set();
      for (const { name, digest } of set.images)
        check([undefined, digest].includes(tagged.get(name) as never), `${name} was another image`);
      const wrong = await wrongNames(place, set, workspace.keys);
      check(wrong.length === 0, wrong.join());
      const tags = await workspace.registry.tags(`${prefix}/ccp.sets`);
      check(tags.length > 0, 'no set is published');
    }
    const wholeSecondsEach = Math.round(whole / 100) / 10;
    return { runs, killed, wholeSecondsEach, reusedImages: built, keptTags: pushed };
  };
}
