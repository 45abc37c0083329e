import { explainConfig } from './explain-config.ts';
import { explainResources } from './explain-resources.ts';
import type { ExplainedApp } from './explained-app.ts';
import { known, type Explanation } from './explanation.ts';
import { placed } from './placed.ts';

/**
 * Explains `GROUP.labels` and the settings on a group's nodes: `GROUP.config.FILE.OPTION` and
 * `GROUP.resources.WORKLOAD.CONTAINER`, or a prefix of them.
 */
export function explainNodes(
  app: ExplainedApp,
  key: string,
  asked: readonly string[],
): Explanation {
  const {
    site,
    instance: { name, settings },
  } = app;
  const [group, kind, ...rest] = asked;
  const groups = Object.keys(settings.nodes ?? {});
  const each = (names: readonly string[]): Explanation => ({
    key,
    layers: [],
    parts: names.map((part) => explainNodes(app, `${key}.${part}`, [...asked, part])),
  });
  if (group === undefined) return each(groups);
  known(key, 'node group', group, groups);
  const of = { ...app, group };
  if (kind === undefined) return each(['labels', 'config', 'resources']);
  known(key, 'key', kind, ['labels', 'config', 'resources']);
  if (kind === 'labels')
    return { key, layers: placed(site, ['apps', name, 'nodes', group, 'labels']) };
  if (kind === 'config' && rest.length === 0)
    return each(Object.keys(settings.nodes?.[group]?.config ?? {}));
  return kind === 'config'
    ? explainConfig(of, key, rest.join('.'))
    : explainResources(of, key, rest);
}
