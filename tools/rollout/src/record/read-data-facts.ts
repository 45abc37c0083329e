import type { Cluster } from '#ports';
import type { RenderedSite } from '#site';
import { readRuns } from './run-store.ts';
import type { SiteName } from '../session/site-name.ts';
import { readPublished } from './data-ids.ts';
import type { DataFacts } from './outdated-jobs.ts';
import { replacementsIn } from './replacements.ts';

/** Reads the facts about the data of a site's StatefulSets. */
export async function readDataFacts(
  cluster: Cluster,
  site: SiteName,
  rendered: RenderedSite,
): Promise<DataFacts> {
  const [published, runs] = await Promise.all([
    readPublished(cluster, site, rendered),
    readRuns(cluster, site),
  ]);
  return { home: site, ...published, replacements: replacementsIn(rendered, runs) };
}
