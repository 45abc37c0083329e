import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CcpError, isDigest, platform } from '#core';
import type { RegistryLogin } from '../registry.ts';
import type { EngineBuildEvent, EngineBuildRequest, ImageEngine } from '../image-engine.ts';
import { tarOf, type TarFile } from './tar-of.ts';

/** An engine under test. */
export interface EngineUnderTest {
  readonly engine: ImageEngine;
  /** Files of every context, which make `/bin/sh` and `sleep` available after `COPY root/ /`. */
  readonly files: Readonly<Record<string, TarFile>>;
  /** `HOST:PORT/FOLDER` in a registry that accepts pushes. */
  readonly repository: string;
  /** Credentials for that registry. */
  readonly login?: RegistryLogin;
  close(): Promise<void>;
}

/** Conformance suite for implementations of ImageEngine. Each test uses unique names and layers. */
export function imageEngineSuite(name: string, open: () => Promise<EngineUnderTest>): void {
  describe(`${name} as an image engine`, () => {
    let under: EngineUnderTest;
    beforeAll(async () => {
      under = await open();
    }, 60_000);
    afterAll(async () => {
      await under.close();
    });

    const build = async (
      dockerfile: string,
      change: Partial<EngineBuildRequest> = {},
      signal = new AbortController().signal,
      onEvent: (event: EngineBuildEvent) => void = () => undefined,
    ) => {
      const tar = await tarOf({ ...under.files, Dockerfile: dockerfile });
      const request: EngineBuildRequest = {
        context: async function* () {
          yield tar;
        },
        dockerfile: 'Dockerfile',
        buildArgs: {},
        platform: platform('linux/amd64'),
        network: 'none',
        reference: `${under.repository}/suite:${randomUUID()}`,
        noCache: false,
        ...change,
      };
      const events: EngineBuildEvent[] = [];
      const record = (event: EngineBuildEvent): void => {
        events.push(event);
        onEvent(event);
      };
      return {
        reference: request.reference,
        events,
        result: under.engine.build(request, record, signal),
      };
    };
    const statesOf = (events: readonly EngineBuildEvent[], step: string) =>
      events.flatMap((event) =>
        event.type === 'step' && event.name === step ? [event.state] : [],
      );
    const printed = (events: readonly EngineBuildEvent[]) =>
      events.map((event) => (event.type === 'output' ? event.text : '')).join('');

    it('reports its properties', async () => {
      const info = await under.engine.info();
      expect(info).toMatchObject({
        id: expect.stringMatching(/./),
        version: expect.stringMatching(/^\d/),
        platform: 'linux/amd64',
      });
      expect(info.cpus).toBeGreaterThan(0);
      expect(info.memory).toBeGreaterThan(2 ** 20);
    });

    it('builds, reports each step with its output, and uses its cache', async () => {
      const word = randomUUID();
      const dockerfile = `FROM scratch\nCOPY root/ /\nRUN echo ${word}`;
      const step = `[2/2] RUN echo ${word}`;
      const first = await build(dockerfile);
      const { imageId } = await first.result;
      expect(imageId).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(statesOf(first.events, step)).toEqual(['started', 'done']);
      expect(printed(first.events)).toBe(`${word}\n`);
      const second = await build(dockerfile);
      expect(await second.result).toEqual({ imageId });
      expect(statesOf(second.events, step).at(-1)).toBe('cached');
      const third = await build(dockerfile, { noCache: true });
      await third.result;
      expect(statesOf(third.events, step).at(-1)).toBe('done');
      for (const { reference } of [first, second, third]) await under.engine.untag(reference);
    }, 30_000);

    it('reports the failed step with its exit code and last lines', async () => {
      const run = await build(`FROM scratch\nCOPY root/ /\nRUN echo one; echo two; exit 3`);
      await expect(run.result).rejects.toMatchObject({
        code: 'build-failed',
        message: `cannot build ${run.reference}: step "[2/2] RUN echo one; echo two; exit 3" failed with exit code 3; its last lines:\n  one\n  two`,
      });
      expect(statesOf(run.events, '[2/2] RUN echo one; echo two; exit 3')).toEqual([
        'started',
        'failed',
      ]);
    }, 30_000);

    it('refuses a Dockerfile with an unknown instruction', async () => {
      const run = await build('FROM scratch\nCOPPY root/ /');
      await expect(run.result).rejects.toMatchObject({
        code: 'build-invalid',
        message: `cannot build ${run.reference}: dockerfile parse error line 2: unknown instruction: COPPY`,
      });
    });

    it('refuses a context without its Dockerfile', async () => {
      await expect(
        (await build('FROM scratch', { dockerfile: 'Other' })).result,
      ).rejects.toMatchObject({ code: 'build-invalid' });
    });

    it('stops within 2 s after the signal', async () => {
      const stop = new AbortController();
      let stopped = 0;
      const run = await build(
        `FROM scratch\nCOPY root/ /\nRUN echo ${randomUUID()}; sleep 600`,
        {},
        stop.signal,
        (event) => {
          if (event.type !== 'output') return;
          stopped = performance.now();
          stop.abort();
        },
      );
      await expect(run.result).rejects.toMatchObject({ code: 'cancelled' });
      expect(performance.now() - stopped).toBeLessThan(2000);
    }, 30_000);

    it('does not start if the signal is already aborted', async () => {
      let opened = false;
      const run = await build(
        'FROM scratch',
        {
          // oxlint-disable-next-line eslint/require-yield -- it only records that it was read
          context: async function* () {
            opened = true;
          },
        },
        AbortSignal.abort(),
      );
      await expect(run.result).rejects.toMatchObject({ code: 'cancelled' });
      expect(opened).toBe(false);
    });

    it('throws the error of the context', async () => {
      const changed = new CcpError({
        code: 'file-changed',
        message: 'files/a changed while it was read',
      });
      const run = await build('FROM scratch', {
        context: async function* () {
          yield Buffer.alloc(512);
          throw changed;
        },
      });
      await expect(run.result).rejects.toBe(changed);
    });

    it('pushes and pulls an image', async () => {
      const { engine } = under;
      const never = new AbortController().signal;
      const run = await build(`FROM scratch\nCOPY root/ /\nRUN echo ${randomUUID()}`);
      await run.result;
      expect(isDigest(await engine.push(run.reference, never, under.login))).toBe(true);
      await engine.untag(run.reference);
      await expect(engine.push(run.reference, never, under.login)).rejects.toMatchObject({
        code: 'push-refused',
      });
      await engine.pull(run.reference, never, under.login);
      await engine.untag(run.reference);
      await engine.untag(run.reference);
    }, 30_000);

    it('removes all references with the given prefixes, and no others', async () => {
      const { engine } = under;
      const never = new AbortController().signal;
      const [one, two, other] = ['left/one:1', 'gone/two:2', 'leftover:3'].map(
        (name) => `${under.repository}/${name}`,
      ) as [string, string, string];
      for (const reference of [one, two, other])
        await (
          await build(`FROM scratch\nCOPY root/ /\nRUN echo ${randomUUID()}`, { reference })
        ).result;
      await engine.untagAll([`${under.repository}/left/`, `${under.repository}/gone/`]);
      for (const reference of [one, two])
        await expect(engine.push(reference, never, under.login)).rejects.toMatchObject({
          code: 'push-refused',
        });
      await engine.push(other, never, under.login);
      await engine.untag(other);
    }, 60_000);

    it('refuses to pull a missing image', async () => {
      const missing = `${under.repository}/missing@sha256:${'0'.repeat(64)}`;
      await expect(
        under.engine.pull(missing, new AbortController().signal, under.login),
      ).rejects.toMatchObject({
        code: 'pull-refused',
      });
    });
  });
}
