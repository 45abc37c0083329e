/** Build slots on several engines, with a limit per engine and a total limit. */
export interface Slots {
  /**
   * Takes a slot on the preferred engine if it has a free one, else on the engine with the most
   * free slots. Returns the engine's index; undefined if all slots are in use.
   */
  take(preferred?: number): number | undefined;
  release(engine: number): void;
  /** Stops using an engine: `take` does not return it again. */
  retire(engine: number): void;
  /** Number of engines in use. */
  readonly engines: number;
}

/** Creates the slots of engines with these limits; an engine without slots is not in use. */
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
      const best = free.reduce(
        (winner, count, engine) => (count > (free[winner] ?? 0) ? engine : winner),
        0,
      );
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
