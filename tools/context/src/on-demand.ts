import type { writeContext as WriteContext } from './write-context.ts';

/**
 * `writeContext` of write-context.ts, loaded on first use: a plan lists a context but never writes
 * it.
 */
export const writeContext: typeof WriteContext = async function* (...given) {
  yield* (await import('./write-context.ts')).writeContext(...given);
};
