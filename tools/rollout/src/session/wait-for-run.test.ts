import { expect, it } from 'vitest';
import { virtualClock } from '#ports/testing';
import type { Cluster } from '#ports';
import { TINY } from '#site/testing';
import type { DeployEvent } from './events.ts';
import { waitForRun } from './wait-for-run.ts';

/**
 * Waits while the lock is as `leaseAt` says for the seconds since the start; returns the seconds.
 */
async function waited(
  leaseAt: (seconds: number) => { readonly renewTime: string } | undefined,
  signal = new AbortController().signal,
  limit: { readonly limitSeconds?: number } = {},
): Promise<{
  readonly seconds: number;
  readonly events: readonly DeployEvent[];
  readonly thrown?: unknown;
}> {
  const clock = virtualClock();
  const start = clock.now();
  const seconds = (): number => (clock.now() - start) / 1000;
  const events: DeployEvent[] = [];
  const get = (async () => {
    const spec = leaseAt(seconds());
    return spec === undefined
      ? undefined
      : {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'ccp-tiny', uid: 'u', resourceVersion: '1' },
          spec: { holderIdentity: 'anna@desk', ...spec },
        };
  }) as unknown as Cluster['get'];
  const emit = (event: DeployEvent): void => void events.push(event);
  const options = { clock, emit, signal, ...limit };
  const ended = waitForRun({ get }, TINY, options).then(
    () => ({}),
    (thrown: unknown) => ({ thrown }),
  );
  return { ...(await ended), seconds: seconds(), events };
}

it('returns at once without a run', async () => {
  expect(await waited(() => undefined)).toEqual({ seconds: 0, events: [] });
});

it('waits for the end of a run that renews its lock, and names its holder once', async () => {
  const { seconds, events } = await waited((now) =>
    now < 100 ? { renewTime: `2026-01-01T00:00:${Math.floor(now / 5)}.000000Z` } : undefined,
  );
  expect(seconds).toBe(100);
  expect(events).toEqual([{ type: 'run-waits', holder: 'anna@desk' }]);
});

it('ignores the lock of a killed run after its duration', async () => {
  const { seconds } = await waited(() => ({ renewTime: '2026-01-01T00:00:00.000000Z' }));
  expect(seconds).toBe(15);
});

it('names the holder of a run that does not end within the limit, such as a backup', async () => {
  const { seconds, thrown } = await waited(
    (now) => ({ renewTime: `2026-01-01T00:00:${Math.floor(now / 5)}.000000Z` }),
    undefined,
    { limitSeconds: 60 },
  );
  expect(seconds).toBe(60);
  expect(thrown).toMatchObject({
    code: 'deploy-locked',
    message: expect.stringContaining('anna@desk') as string,
  });
});

it('returns if it is cancelled', async () => {
  const { seconds } = await waited(
    (now) => ({ renewTime: `2026-01-01T00:00:${now}.000000Z` }),
    AbortSignal.abort(),
  );
  expect(seconds).toBe(0);
});
