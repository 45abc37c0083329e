import { canonicalJson, CcpError, nearest, type Json } from '#core';
import type { Cluster } from '#ports';
import type { RenderedAction } from '#site';
import { readNewest, readRecords, readRendered } from '../record/record-store.ts';
import type { RevisionRecord } from '../record/record.ts';
import type { SiteName } from '../session/site-name.ts';

/**
 * The action of an app, from the newest or the requested revision. If the newest revision has
 * failed, its Secrets and images may not be in effect, so an action that differs from the last good
 * revision needs an explicit revision. Throws `deploy-missing` without a revision, `action-unknown`
 * and `action-revision`.
 */
export async function findAction(
  cluster: Cluster,
  site: SiteName,
  id: string,
  wanted?: number,
): Promise<{ readonly action: RenderedAction; readonly revision: number }> {
  if (wanted !== undefined) {
    const record = (await readRecords(cluster, site)).find(({ revision }) => revision === wanted);
    if (record === undefined)
      throw new CcpError({
        code: 'action-revision',
        message: `revision ${wanted} has no record`,
        hint: `list the revisions: ccp deploy history ${site.name}`,
      });
    return {
      action: actionOf(await readActions(cluster, site, record), id, site),
      revision: wanted,
    };
  }
  const { record: newest, rendered } = await readNewest(cluster, site);
  const good =
    newest.state === 'good'
      ? undefined
      : (await readRecords(cluster, site)).findLast(({ state }) => state === 'good');
  if (good !== undefined) {
    const before = (await readActions(cluster, site, good)).find((action) => action.id === id);
    const now = rendered.actions.find((action) => action.id === id);
    if ((before !== undefined || now !== undefined) && formOf(before) !== formOf(now)) {
      const came = newest.state === 'failed' ? 'has failed' : 'was interrupted';
      throw new CcpError({
        code: 'action-revision',
        message: `revision ${newest.revision} ${came}, and ${id} is different in revision ${good.revision}, the last good one`,
        hint: `choose the revision to run: --revision ${good.revision}, or --revision ${newest.revision} if the pods of app ${id.split('/')[0]} already run it`,
      });
    }
  }
  return { action: actionOf(rendered.actions, id, site), revision: newest.revision };
}

async function readActions(
  cluster: Cluster,
  site: SiteName,
  record: RevisionRecord,
): Promise<readonly RenderedAction[]> {
  return (await readRendered(cluster, site, record)).actions;
}

function actionOf(
  actions: readonly RenderedAction[],
  id: string,
  { name }: SiteName,
): RenderedAction {
  const able = actions.filter(({ kind }) => kind === 'action');
  const found = able.find((action) => action.id === id);
  if (found !== undefined) return found;
  const [app, action] = id.split('/');
  const meant = nearest(
    id,
    able.map((each) => each.id),
  );
  throw new CcpError({
    code: 'action-unknown',
    message: `${app} has no action "${action}"`,
    hint:
      meant === undefined
        ? `list the actions: ccp deploy action list ${name}`
        : `did you mean "${meant.replace('/', ' ')}"?`,
  });
}

function formOf(action: RenderedAction | undefined): string {
  return canonicalJson(
    (action === undefined ? null : [action.job, action.claims]) as unknown as Json,
  );
}
