import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContainerRunner, ContainerSpec } from '../container-runner.ts';

/** A runner under test. */
export interface RunnerUnderTest {
  readonly runner: ContainerRunner;
  /** An image with `/bin/sh`, `sleep` and `cat`. */
  readonly image: string;
  close(): Promise<void>;
}

/** Conformance suite for implementations of ContainerRunner. */
export function containerRunnerSuite(name: string, open: () => Promise<RunnerUnderTest>): void {
  describe(`${name} as a container runner`, () => {
    let under: RunnerUnderTest;
    beforeAll(async () => {
      under = await open();
    }, 60_000);
    afterAll(async () => {
      await under.close();
    });

    const script = (text: string, more: Partial<ContainerSpec> = {}): ContainerSpec => ({
      image: under.image,
      command: ['/bin/sh', '-c', text],
      network: 'none',
      ...more,
    });

    it('keeps stdout, stderr and the exit code apart', async () => {
      expect(await under.runner.run(script('echo out; echo err >&2; exit 4'))).toEqual({
        exitCode: 4,
        stdout: 'out\n',
        stderr: 'err\n',
      });
    });

    it('passes stdin to the container', async () => {
      expect(await under.runner.run(script('cat', { stdin: 'words\n' }))).toEqual({
        exitCode: 0,
        stdout: 'words\n',
        stderr: '',
      });
    });

    it('stops a container after its timeout', async () => {
      await expect(under.runner.run(script('sleep 600'), { timeoutMs: 300 })).rejects.toMatchObject(
        { code: 'timeout' },
      );
    });

    it('stops a cancelled container within 2 s', async () => {
      const begun = performance.now();
      await expect(
        under.runner.run(script('sleep 600'), { signal: AbortSignal.timeout(300) }),
      ).rejects.toMatchObject({ code: 'cancelled' });
      expect(performance.now() - begun).toBeLessThan(2300);
    });

    it('starts, runs commands in, signals and removes a container', async () => {
      const container = await under.runner.start(script('echo up; sleep 600'));
      expect(
        await container.exec(['/bin/sh', '-c', 'cat; echo no >&2; exit 5'], { stdin: 'in\n' }),
      ).toEqual({ exitCode: 5, stdout: 'in\n', stderr: 'no\n' });
      expect(await container.logs()).toBe('up\n');
      await container.signal('SIGKILL');
      expect(await container.wait()).toBe(137);
      await container.remove();
      await container.remove();
    }, 30_000);

    it('lets one container join the network of another', async () => {
      const first = await under.runner.start(script('sleep 600'));
      expect(
        (await under.runner.run(script('echo joined', { network: `container:${first.id}` })))
          .stdout,
      ).toBe('joined\n');
      await first.remove();
    }, 30_000);
  });
}
