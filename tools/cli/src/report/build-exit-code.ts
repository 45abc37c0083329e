import type { BuildResult } from '#build';
import { EXIT, exitCodeFor } from './exit-codes.ts';

/**
 * The exit code of a build: `machine` or `input` if all failures are of that kind. A complete build
 * whose image set could not be written has the exit code of that fault.
 */
export function exitCodeOfBuild({
  result: { cancelled, complete, outcomes },
  setFault,
}: {
  readonly result: Pick<BuildResult, 'cancelled' | 'complete' | 'outcomes'>;
  readonly setFault?: { readonly code: string };
}): number {
  if (cancelled) return EXIT.cancelled;
  if (complete)
    return setFault === undefined ? EXIT.done : (exitCodeFor(setFault.code) ?? EXIT.failed);
  const codes = new Set(
    outcomes.flatMap((outcome) =>
      outcome.type === 'failed' ? exitCodeFor(outcome.fault.code) : [],
    ),
  );
  return (
    [EXIT.machine, EXIT.input].find((code) => codes.size === 1 && codes.has(code)) ?? EXIT.failed
  );
}
