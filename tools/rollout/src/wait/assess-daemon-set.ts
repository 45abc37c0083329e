import { asKind, type LiveObject } from '#ports';
import { DONE, progressing, type Assessment } from './assessment.ts';

/**
 * Done when the controller has observed this generation, and every selected node has an available
 * pod of the new template.
 */
export function assessDaemonSet(object: LiveObject): Assessment {
  const { status = {} } = asKind('DaemonSet', object);
  if ((status.observedGeneration ?? 0) < (object.metadata.generation ?? 0))
    return progressing('its controller has not seen the change yet');
  const {
    desiredNumberScheduled: wanted = 0,
    updatedNumberScheduled: updated = 0,
    numberAvailable: available = 0,
  } = status;
  if (updated < wanted) return progressing(`${updated} of ${wanted} nodes have a new pod`);
  if (available < wanted) return progressing(`pods on ${available} of ${wanted} nodes are ready`);
  return DONE;
}
