import { omitUndefined } from '#core';
import type { Cluster, LiveObject } from '#ports';
import { type FakeCluster, fakeCluster, virtualClock } from '#ports/testing';
import type { RenderedSite } from '#site';
import { TINY } from '#site/testing';
import type { DeployResult } from '../apply/apply-plan.ts';
import { applySite, type ApplyOptions } from '../apply/apply-site.ts';
import type { DeployEvent } from '../session/events.ts';
import { startControllers } from './fake-controllers.ts';
import type { Behaviour } from './fake-kubelet.ts';

/** An in-memory cluster with controllers, and the functions that change it. */
export interface TinyWorld {
  readonly cluster: FakeCluster;
  readonly clock: ReturnType<typeof virtualClock>;
  /** All events of the last apply. */
  readonly events: DeployEvent[];
  /** Behaviour of pods from now on, by owner's name without its hash; others are healthy. */
  behave(behaviours: Readonly<Record<string, Behaviour>>): void;
  apply(
    rendered: RenderedSite,
    options?: Partial<ApplyOptions>,
    cluster?: Cluster,
  ): Promise<DeployResult>;
}

/** `like` is an idle world, whose time and objects this one starts with. */
export function tinyWorld({
  controllers = true,
  like,
}: { readonly controllers?: boolean; readonly like?: TinyWorld } = {}): TinyWorld {
  const clock = virtualClock(like?.clock.now());
  const cluster = fakeCluster({
    now: () => new Date(clock.now()),
    ...omitUndefined({ like: like?.cluster }),
  });
  let behaviours: Readonly<Record<string, Behaviour>> = {};
  if (controllers)
    startControllers(
      cluster,
      ({ metadata, kind }: LiveObject) =>
        behaviours[kind === 'Job' ? metadata.name.replace(/-[0-9a-f]{10}$/, '') : metadata.name] ??
        'well',
    );
  const events: DeployEvent[] = [];
  let runs = 0;
  return {
    cluster,
    clock,
    events,
    behave: (wanted) => void (behaviours = wanted),
    apply: (rendered, options = {}, through = cluster) => {
      events.length = 0;
      return applySite(through, TINY, rendered, {
        by: 'tester@host',
        run: `run ${++runs}`,
        clock,
        emit: (event) => void events.push(event),
        ...options,
      });
    },
  };
}
