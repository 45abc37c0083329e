import { CcpError, nearest } from '#core';
import type { Cluster } from '#ports';
import { generationOf, secretName, type RenderedSite, type Site } from '#site';
import { readNewestRecord, readRecords, readRendered } from './record-store.ts';

/** The generations of a generated Secret. */
export interface SecretGeneration {
  /** The generation that the site sets. */
  readonly wanted: number;
  /** The generation in the newest good revision; `undefined` if no good revision has the Secret. */
  readonly made: number | undefined;
}

/**
 * The generation of an app's Secret in the site and in its newest good revision. They differ while
 * a rotation is unfinished. Throws `usage` if the app has no such generated Secret, and
 * `deploy-missing` without a revision.
 */
export async function readGeneration(
  cluster: Cluster,
  site: Pick<Site, 'name' | 'namespace' | 'apps'>,
  rendered: RenderedSite,
  app: string,
  secret: string,
): Promise<SecretGeneration> {
  const instance = { name: app, settings: site.apps[app]! };
  const names = new Set(rendered.secrets.map(({ name }) => name));
  if (!names.has(secretName(instance, secret))) {
    const known = rendered.secrets
      .filter((request) => request.instance === app)
      .map(({ name }) => name.slice(app.length + 1).replace(/-g[0-9]+$/, ''));
    const meant = nearest(secret, known);
    throw new CcpError({
      code: 'usage',
      message: `"${app}" has no generated Secret "${secret}"`,
      hint:
        meant === undefined ? `it has: ${known.join(', ') || 'none'}` : `did you mean "${meant}"?`,
    });
  }
  await readNewestRecord(cluster, site);
  const wanted = generationOf(instance, secret);
  const good = (await readRecords(cluster, site)).findLast(({ state }) => state === 'good');
  if (good === undefined) return { wanted, made: undefined };
  const first = secretName(instance, secret, 1);
  const generationIn = (name: string): number => {
    if (name === first) return 1;
    return name.startsWith(`${first}-g`) ? Number(name.slice(first.length + 2)) : Number.NaN;
  };
  const made = (await readRendered(cluster, site, good)).secrets
    .map(({ name }) => generationIn(name))
    .find(Number.isSafeInteger);
  return { wanted, made };
}
