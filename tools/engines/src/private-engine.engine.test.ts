import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { platform, sha256 } from '#core';
import type { EngineEvents } from '#ports';
import { hostShell, tarOf } from '#ports/testing';
import { processesIn } from './cgroup-processes.ts';
import {
  connectEngine,
  ensureEngines,
  prunePrivateEngine,
  startPrivateEngine,
  stopPrivateEngine,
} from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-private-'));
afterAll(async () => {
  await stopPrivateEngine(folder);
  rmSync(folder, { recursive: true, force: true });
});

describe('a private engine', () => {
  it('starts once for all users, builds, is pruned, stops and starts again with its data', async () => {
    const sentences: string[] = [];
    const options = {
      endpoints: [],
      folder,
      installPackages: async () => {
        throw new Error('dockerd is here');
      },
      say: (sentence: string) => void sentences.push(sentence),
      environment: {},
      defaultSocket: `unix://${folder}/nothing.sock`,
    };
    const [first, second] = await Promise.all([ensureEngines(options), ensureEngines(options)]);
    expect(first).toEqual(second);
    expect(sentences).toContain(`starting a private engine, data in ${folder}/data`);
    expect(sentences.filter((sentence) => sentence.startsWith('starting'))).toHaveLength(1);

    const engine = await connectEngine(first[0]!);
    const shared = await connectEngine(process.env['CCP_ENGINE']!);
    expect((await engine.info()).id).not.toBe((await shared.info()).id);
    const build = async (script: string, events: EngineEvents = () => undefined) => {
      const tar = await tarOf({
        ...hostShell(),
        Dockerfile: `FROM scratch\nCOPY root/ /\nRUN ${script}`,
      });
      const context = async function* () {
        yield tar;
      };
      return engine.build(
        {
          context,
          dockerfile: 'Dockerfile',
          buildArgs: {},
          platform: platform('linux/amd64'),
          network: 'none',
          reference: 'shell:1',
          noCache: false,
        },
        events,
        new AbortController().signal,
      );
    };
    await build('echo built');
    const container = await engine.start({
      image: 'shell:1',
      command: ['/bin/sleep', '600'],
      network: 'none',
    });
    expect(processesIn(`ccp-engine-${sha256(folder).slice(0, 12)}`)).toHaveLength(1);
    await container.remove();

    const stopped: Promise<boolean>[] = [];
    const cut = build('echo go; sleep 600', (event) => {
      if (event.type === 'output') stopped.push(stopPrivateEngine(folder));
    });
    await expect(cut).rejects.toMatchObject({ code: 'engine-failed' });
    expect(await Promise.all(stopped)).toEqual([true]);
    expect(processesIn(`ccp-engine-${sha256(folder).slice(0, 12)}`)).toEqual([]);
    expect(await stopPrivateEngine(folder)).toBe(false);
    await expect(engine.info()).rejects.toMatchObject({ code: 'engine-unreachable' });

    const again = await startPrivateEngine({ folder, say: () => undefined });
    expect(again).toMatchObject({ endpoint: first[0], reused: false });
    expect(
      (
        await engine.run({
          image: 'shell:1',
          command: ['/bin/sh', '-c', 'echo still here'],
          network: 'none',
        })
      ).stdout,
    ).toBe('still here\n');
    await engine.untag('shell:1');
    expect(await prunePrivateEngine(folder)).toBeGreaterThan(0);
    await stopPrivateEngine(folder);
    expect(await prunePrivateEngine(folder)).toBeUndefined();
  }, 120_000);
});
