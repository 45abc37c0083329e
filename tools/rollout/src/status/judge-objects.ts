import type { Cluster } from '#ports';
import type { ObjectKey, RenderedSite } from '#site';
import type { ConflictRule } from '../live/conflicts.ts';
import type { RevisionRecord } from '../record/record.ts';
import type { SiteName } from '../session/site-name.ts';
import { findDrift, type DriftedObject } from './find-drift.ts';
import { missingObjects, type MissingObject } from './missing-objects.ts';
import type { Members } from './read-members.ts';
import type { Scaled } from './scaled-by-others.ts';

/** The state of all objects of a site, apart from its steps. */
export interface ObjectsStatus {
  readonly missing: readonly MissingObject[];
  /** Empty while the revision is not good: its fields are not all written yet. */
  readonly drift: readonly DriftedObject[];
  /** Kinds that this account may not read, in order. */
  readonly unread: readonly string[];
}

/** The facts from which objects are judged. */
interface JudgedSite {
  readonly record: RevisionRecord;
  readonly rendered: RenderedSite;
  readonly rules: readonly ConflictRule[];
  readonly scaled: ReadonlyMap<ObjectKey, Scaled>;
  readonly members: Members;
}

/** Judges every object of a site's revision. Reads only. */
export async function judgeObjects(
  cluster: Cluster,
  site: SiteName,
  { record, rendered, rules, scaled, members }: JudgedSite,
): Promise<ObjectsStatus> {
  return {
    missing: missingObjects(rendered, members, site, record),
    drift:
      record.state === 'good'
        ? await findDrift(cluster, site, { rendered, objects: members.objects, rules, scaled })
        : [],
    unread: [...members.unread].sort(),
  };
}
