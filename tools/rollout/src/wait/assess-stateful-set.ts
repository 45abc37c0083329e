import { asKind, type LiveObject } from '#ports';
import { DONE, progressing, type Assessment } from './assessment.ts';

/**
 * Done when the controller has observed this generation, every pod is of the newest revision and
 * ready, and no extra pod remains. It has no failed state: its pods show failures.
 */
export function assessStatefulSet(object: LiveObject): Assessment {
  const {
    spec: { replicas: wanted = 1 },
    status = {},
  } = asKind('StatefulSet', object);
  if ((status.observedGeneration ?? 0) < (object.metadata.generation ?? 0))
    return progressing('its controller has not seen the change yet');
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = status;
  const updated = status.updateRevision === status.currentRevision ? replicas : updatedReplicas;
  if (updated < wanted) return progressing(`${updated} of ${wanted} pods are updated`);
  if (readyReplicas < wanted) return progressing(`${readyReplicas} of ${wanted} pods are ready`);
  if (replicas > wanted)
    return progressing(`${replicas - wanted} of ${replicas} pods must still terminate`);
  return DONE;
}
