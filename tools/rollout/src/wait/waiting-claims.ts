import { asKind, type Cluster, type LiveObject } from '#ports';
import { refOf } from '#site';
import { unlessHidden } from '../live/unless-hidden.ts';
import { eventText } from './event-text.ts';
import type { Pod } from './pod.ts';

const STORAGE_CLASS = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };

/**
 * The missing and unbound claims of a pod with their reasons, as a clause; `undefined` if all
 * are bound.
 */
export async function waitingClaims(
  cluster: Cluster,
  { spec, metadata: { namespace = '' } }: Pod,
): Promise<string | undefined> {
  const names = (spec.volumes ?? []).flatMap(
    ({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [],
  );
  const perClaim = await Promise.all(
    names.map(async (name) => {
      const claim = await cluster.get({
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace,
        name,
      });
      const what = claim === undefined ? 'does not exist' : await waitsFor(cluster, claim);
      return what === undefined ? [] : [`PersistentVolumeClaim ${name} ${what}`];
    }),
  );
  const lines = perClaim.flat();
  return lines.length === 0 ? undefined : lines.join(', ');
}

async function waitsFor(cluster: Cluster, claim: LiveObject): Promise<string | undefined> {
  const { volumeName, storageClassName } = asKind('PersistentVolumeClaim', claim).spec ?? {};
  if (volumeName !== undefined) return undefined;
  if (storageClassName !== undefined && storageClassName !== '') {
    const found = await unlessHidden(() =>
      cluster.get({ ...STORAGE_CLASS, name: storageClassName }),
    );
    if (found === undefined)
      return `waits for storage class ${storageClassName}, which does not exist`;
  }
  const warning = (await cluster.events(refOf(claim)).catch(() => [])).findLast(
    ({ type }) => type === 'Warning',
  );
  const of =
    storageClassName === undefined
      ? ''
      : ` of storage class ${storageClassName === '' ? '""' : storageClassName}`;
  return `waits for a volume${of}${warning === undefined ? '' : ` (${eventText(warning)})`}`;
}
