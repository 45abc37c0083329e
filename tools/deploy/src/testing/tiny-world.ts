import type { Cluster, LiveObject } from '#ports';
import { fakeCluster, type FakeCluster } from '#ports/testing';
import type { DeployResult } from '../apply/apply-plan.ts';
import { applySite, type ApplyOptions } from '../apply/apply-site.ts';
import type { DeployEvent } from '../apply/events.ts';
import type { RenderedSite } from '../types.ts';
import { startControllers } from './fake-controllers.ts';
import type { Behaviour } from './fake-kubelet.ts';
import { fastClock } from './fast-clock.ts';
import { TINY } from './tiny-site.ts';

/** A cluster in memory with controllers, and the engine to change it. */
export interface TinyWorld {
  readonly cluster: FakeCluster;
  readonly clock: ReturnType<typeof fastClock>;
  /** Everything the last apply told. */
  readonly events: DeployEvent[];
  /** Pods' behaviour from now on, by owner's name without its hash; others are well. */
  behave(behaviours: Readonly<Record<string, Behaviour>>): void;
  apply(rendered: RenderedSite, options?: Partial<ApplyOptions>, cluster?: Cluster): Promise<DeployResult>;
}

/** `like` is a world at rest, whose time and objects this one begins with. */
export function tinyWorld({ controllers = true, like }: { readonly controllers?: boolean; readonly like?: TinyWorld } = {}): TinyWorld {
  const clock = fastClock(like?.clock.now());
  const cluster = fakeCluster({ now: () => new Date(clock.now()), ...(like === undefined ? {} : { like: like.cluster }) });
  let behaviours: Readonly<Record<string, Behaviour>> = {};
  if (controllers)
    startControllers(
      cluster,
      ({ metadata, kind }: LiveObject) => behaviours[kind === 'Job' ? metadata.name.replace(/-[0-9a-f]{10}$/, '') : metadata.name] ?? 'well',
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
      return applySite(through, TINY, rendered, { by: 'tester@host', run: `run ${++runs}`, clock, emit: (event) => void events.push(event), ...options });
    },
  };
}
