import { setTimeout } from 'node:timers/promises';
import type { Registry } from '#ports';

/** A registry each of whose calls takes up to 3 ms, so that calls of several runs mix. */
export function slowRegistry(of: Registry): Registry {
  const delayed = Object.entries(of).map(([name, call]: [string, unknown]) => [
    name,
    typeof call !== 'function'
      ? call
      : async (...args: readonly unknown[]) => {
          await setTimeout(Math.random() * 3);
          return (call as (...all: readonly unknown[]) => unknown)(...args);
        },
  ]);
  return Object.fromEntries(delayed) as Registry;
}
