import { asKind, type LiveObject } from '#ports';
import { conditionText, DONE, failed, holds, progressing, type Assessment } from './assessment.ts';

/**
 * Failed pods after which a Job is given up; with Kubernetes' back-off of 10 s, doubling, that is
 * within 40 s.
 */
const JOB_BUDGET = 3;

/**
 * Done only by the condition Complete: succeeded pods are not enough until the controller has set
 * it.
 */
export function assessJob(object: LiveObject): Assessment {
  const { status } = asKind('Job', object);
  if (holds(status, 'Complete') !== undefined) return DONE;
  const failure = holds(status, 'Failed');
  if (failure !== undefined) return failed(`failed: ${conditionText(failure)}`);
  const times = status?.failed ?? 0;
  if (times >= JOB_BUDGET) return failed(`${times} of its pods failed`);
  if (times > 0) return progressing(`${times} of its pods failed, and Kubernetes tries again`);
  if ((status?.active ?? 0) > 0) return progressing('it is running');
  return progressing(
    status?.startTime === undefined
      ? 'it has not started yet'
      : 'its pod has finished or has not started yet',
  );
}
