/** Places on a fleet of engines, each engine with its own limit, and a limit over all. */
export interface Slots {
  /** Takes a place: on the preferred engine where it has one free, else on the engine with the most free. */
  take(preferred?: number): number | undefined;
  release(engine: number): void;
  /** Gives an engine up: it gets nothing more. */
  retire(engine: number): void;
  /** Engines that are not given up. */
  readonly engines: number;
}

/** Raises nothing; an engine with no places is as one given up. */
export function slotsOf(limits: readonly number[], total = Infinity): Slots {
  const free = [...limits];
  const lost = new Set<number>();
  let left = total;
  return {
    get engines() {
      return limits.filter((limit, engine) => limit > 0 && !lost.has(engine)).length;
    },
    take: (preferred) => {
      if (left < 1) return undefined;
      const best = free.reduce((winner, count, engine) => (count > (free[winner] ?? 0) ? engine : winner), 0);
      const engine = preferred !== undefined && (free[preferred] ?? 0) > 0 ? preferred : best;
      if ((free[engine] ?? 0) < 1) return undefined;
      free[engine]! -= 1;
      left -= 1;
      return engine;
    },
    release: (engine) => {
      if (!lost.has(engine)) free[engine]! += 1;
      left += 1;
    },
    retire: (engine) => {
      lost.add(engine);
      free[engine] = 0;
    },
  };
}
