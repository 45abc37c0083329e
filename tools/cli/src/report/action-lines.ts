import { failureLines, type ActionResult } from '#rollout';
import { EXIT } from './exit-codes.ts';

/** `running`: the wait for the action was cancelled. */
export const EXIT_OF_RUN = {
  good: EXIT.done,
  running: EXIT.cancelled,
  failed: EXIT.cluster,
} as const;

/** The result of an action run: its output, then one line. */
export function actionLines({ run, log, failure }: ActionResult): string[] {
  const output = log.split('\n').filter((line) => line !== '');
  if (run.state === 'running')
    return [
      `${run.action} is still running as Job/${run.job}; run the same command again to wait for it`,
    ];
  if (failure !== undefined)
    return [...failureLines(failure, []), `${run.action}: run ${run.run} failed`];
  return [...output, `${run.action}: run ${run.run} is good`];
}
