import { failureLines, type ActionResult } from '#rollout';

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
