import { omitUndefined } from '#core';
import type { KubernetesObject, LiveObject } from '#ports';
import { keyOf, type RenderedSite } from '#site';
import type { RevisionRecord } from '../record/record.ts';
import type { SiteName } from '../session/site-name.ts';
import type { Members } from './read-members.ts';

/** An object of the site that does not exist or is being deleted. */
export interface MissingObject {
  readonly kind: string;
  readonly name: string;
  /** Absent for the namespace itself. */
  readonly namespace?: string;
  /** The instance of an app that it belongs to. */
  readonly app?: string;
  /** A time at which it existed, in RFC 3339: the end of the run that made the revision good. */
  readonly existedAt?: string;
  /** When its deletion began, if it waits for finalizers or pods. */
  readonly deletingSince?: string;
}

const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const INSTANCE = 'app.kubernetes.io/instance';

/**
 * The objects of a site's foundation and its Secrets that do not exist. Objects of steps are left
 * out: the status of their step names them.
 */
export function missingObjects(
  { foundation, secrets: requests }: Pick<RenderedSite, 'foundation' | 'secrets'>,
  { objects, secrets, unread }: Members,
  site: SiteName,
  { state, endedAt }: Pick<RevisionRecord, 'state' | 'endedAt'>,
): readonly MissingObject[] {
  const existed = state === 'good' && endedAt !== undefined ? { existedAt: endedAt } : {};
  const ofFoundation = foundation
    .filter(({ kind }) => !unread.has(kind))
    .flatMap((object) => missingObject(object, objects.get(keyOf(object, site)), existed));
  const ofSecrets = unread.has('Secret')
    ? []
    : requests
        .flatMap(({ name, instance, copies = [] }) =>
          [site.namespace, ...copies].map((namespace) => ({ name, namespace, app: instance })),
        )
        .filter((secret) => !secrets.has(keyOf({ ...SECRET, ...secret }, site)))
        .map((secret) => ({ kind: 'Secret', ...secret, ...existed }));
  return [...ofFoundation, ...ofSecrets];
}

function missingObject(
  { kind, metadata: { name, namespace, labels } }: KubernetesObject,
  live: LiveObject | undefined,
  existed: Pick<MissingObject, 'existedAt'>,
): readonly MissingObject[] {
  const deletingSince = live?.metadata.deletionTimestamp;
  if (live !== undefined && deletingSince === undefined) return [];
  const app = labels?.[INSTANCE];
  return [
    {
      kind,
      name,
      ...omitUndefined({ namespace, app }),
      ...(deletingSince === undefined ? existed : { deletingSince }),
    },
  ];
}

/** `Service cloud/web of app web does not exist; it existed at 2026-01-01T00:00:00Z`. */
export function missingText(missing: MissingObject): string {
  const { kind, name, namespace, app, existedAt, deletingSince } = missing;
  const object = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}${app === undefined ? '' : ` of app ${app}`}`;
  if (deletingSince !== undefined) return `${object} has been terminating since ${deletingSince}`;
  return `${object} does not exist${existedAt === undefined ? '' : `; it existed at ${existedAt}`}`;
}
