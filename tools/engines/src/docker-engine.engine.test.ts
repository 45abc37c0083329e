import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platform } from '#core';
import type { EngineBuildRequest } from '#ports';
import { containerRunnerSuite, hostShell, imageEngineSuite, tarOf } from '#ports/testing';
import { connectEngine, type DockerEngine } from './index.ts';
import { loopbackRegistry } from './testing/loopback-registry.ts';

const endpoint = process.env['CCP_ENGINE'] ?? '';
const never = new AbortController().signal;

imageEngineSuite('Docker Engine', async () => {
  const registry = await loopbackRegistry();
  const engine = await connectEngine(endpoint);
  return {
    engine,
    files: hostShell(),
    repository: `${registry.address}/test`,
    close: async () => {
      registry.close();
      await engine.close();
    },
  };
});

/** Build request for an image with a shell, which runs `run` as a build step if given. */
async function shellBuild(reference: string, run?: string): Promise<EngineBuildRequest> {
  const tar = await tarOf({
    ...hostShell(),
    Dockerfile: `FROM scratch\nCOPY root/ /${run === undefined ? '' : `\nRUN ${run}`}`,
  });
  const context = async function* () {
    yield tar;
  };
  return {
    context,
    dockerfile: 'Dockerfile',
    buildArgs: {},
    platform: platform('linux/amd64'),
    network: 'none',
    reference,
    noCache: false,
  };
}

/** Builds an image with a shell under a unique name. */
async function shellImage(engine: DockerEngine): Promise<string> {
  const reference = `ccp-test/shell:${randomUUID()}`;
  await engine.build(await shellBuild(reference), () => undefined, never);
  return reference;
}

/** The command lines of all processes, one per line; each word is followed by a space. */
function commandLines(): string {
  const read = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(read)
    .join('\n');
}

containerRunnerSuite('Docker Engine', async () => {
  const engine = await connectEngine(endpoint);
  const image = await shellImage(engine);
  return {
    runner: engine,
    image,
    close: async () => {
      await engine.close();
      await engine.untag(image);
    },
  };
});

describe('Docker Engine', () => {
  let engine: DockerEngine;
  let image: string;
  beforeAll(async () => {
    engine = await connectEngine(endpoint);
    image = await shellImage(engine);
  }, 60_000);
  afterAll(async () => {
    await engine.close();
    await engine.untag(image);
  });
  const script = (text: string) => ({ image, command: ['/bin/sh', '-c', text], network: 'none' });

  it('gives a build no network but loopback', async () => {
    const reference = `ccp-test/network:${randomUUID()}`;
    let printed = '';
    await engine.build(
      await shellBuild(reference, `cat /proc/net/dev; : ${randomUUID()}`),
      (event) => {
        printed += event.type === 'output' ? event.text : '';
      },
      never,
    );
    await engine.untag(reference);
    expect([...printed.matchAll(/^\s*(\S+):/gm)].map(([, device]) => device)).toEqual(['lo']);
  }, 30_000);

  it('stops all processes of a cancelled build', async () => {
    const seconds = `7${Math.floor(Math.random() * 1e8)}`;
    const stop = new AbortController();
    const build = engine.build(
      await shellBuild('ccp-test/cancel:x', `echo go; sleep ${seconds}`),
      (event) => {
        if (event.type === 'output') stop.abort();
      },
      stop.signal,
    );
    await expect(build).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => commandLines(), { timeout: 2000 }).not.toContain(`sleep ${seconds} `);
  }, 30_000);

  it.each(['nope', '/nope'])('reports a missing program %s', async (program) => {
    const refusal = {
      code: 'command-missing',
      message: `cannot run "${program} --version" in ${image}: program ${program} not found in the image`,
    };
    await expect(
      engine.run({ image, command: [program, '--version'], network: 'none' }),
    ).rejects.toMatchObject(refusal);
    await expect(
      engine.start({ image, command: [program, '--version'], network: 'none' }),
    ).rejects.toMatchObject(refusal);
  });

  it('stops a container with endless output', async () => {
    await expect(
      engine.run(script('while true; do echo ' + 'x'.repeat(4000) + '; done')),
    ).rejects.toMatchObject({ code: 'output-too-long' });
  }, 30_000);

  it('removes remaining containers when it is closed', async () => {
    const other = await connectEngine(endpoint);
    const container = await other.start(script('sleep 600'));
    await other.close();
    await expect(
      engine.run({ ...script('echo'), network: `container:${container.id}` }),
    ).rejects.toMatchObject({ code: 'run-failed' });
  });
});
