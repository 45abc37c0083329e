import { asKind, type LiveObject } from '#ports';
import {
  conditionText,
  countText,
  DONE,
  failed,
  holds,
  progressing,
  type Assessment,
} from './assessment.ts';

/**
 * Done when the controller has observed this generation, every pod is of the new template and
 * available, and no old pod remains.
 */
export function assessDeployment(object: LiveObject): Assessment {
  const {
    spec: { replicas: wanted = 1 },
    status = {},
  } = asKind('Deployment', object);
  if ((status.observedGeneration ?? 0) < (object.metadata.generation ?? 0))
    return progressing('its controller has not seen the change yet');
  const stalled = status.conditions?.find(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  );
  if (stalled !== undefined)
    return failed(`made no progress before its deadline: ${stalled.message ?? stalled.reason}`);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status;
  const refused = holds(status, 'ReplicaFailure');
  if (updatedReplicas < wanted)
    return progressing(
      `${updatedReplicas} of ${wanted} pods are updated${refused === undefined ? '' : `; ${conditionText(refused)}`}`,
    );
  if (replicas > updatedReplicas)
    return {
      ...progressing(`${countText(replicas - updatedReplicas, 'old pod')} still present`),
      follows: true,
    };
  if (availableReplicas < wanted)
    return progressing(`${availableReplicas} of ${wanted} pods are ready`);
  return DONE;
}
