import { groupsOf, workloadsOf, type ExplainedApp } from './explained-app.ts';
import { known, type Explanation, type Layer } from './explanation.ts';
import { placed, type Path } from './placed.ts';

const PARTS: Readonly<Record<string, readonly string[]>> = {
  requests: ['cpu', 'memory'],
  limits: ['cpu', 'memory'],
};

/** `WORKLOAD.CONTAINER.limits.memory`, or a part of it. */
export function explainResources(
  of: ExplainedApp,
  key: string,
  asked: readonly string[],
): Explanation {
  const [workload, container, kind, resource] = asked;
  const workloads = workloadsOf(of.instance).filter(
    (name) => of.group === undefined || of.instance.onNodes.has(name),
  );
  const each = (names: readonly string[]): Explanation => ({
    key,
    layers: [],
    parts: names.map((name) => explainResources(of, `${key}.${name}`, [...asked, name])),
  });
  if (workload === undefined) return each(workloads);
  known(key, 'workload', workload, workloads);
  const containers = Object.keys(of.instance.spec.workloads[workload]!.containers);
  if (container === undefined) return each(containers);
  known(key, 'container', container, containers);
  if (kind === undefined) return each(Object.keys(PARTS));
  known(key, 'key', kind, Object.keys(PARTS));
  if (resource === undefined) return each(PARTS[kind]!);
  known(key, 'resource', resource, PARTS[kind]!);
  return { key, layers: layersOf(of, workload, container, [kind, resource]) };
}

/**
 * Resources that a node group sets for a container replace all other resources of the site for it.
 */
function layersOf(of: ExplainedApp, workload: string, container: string, path: Path): Layer[] {
  const {
    site,
    instance: { name: app, spec, settings },
  } = of;
  const ofGroups = groupsOf(of).filter(
    (group) => settings.nodes?.[group]?.resources?.[workload]?.[container] !== undefined,
  );
  const everywhere = placed(site, ['apps', app, 'resources', workload, container, ...path]).map(
    (layer): Layer =>
      of.group === undefined || ofGroups.length === 0
        ? layer
        : { ...layer, unused: `nodes.${of.group}.resources replaces it` },
  );
  return [
    ...placed(spec, ['workloads', workload, 'containers', container, 'resources', ...path]),
    ...everywhere,
    ...ofGroups.flatMap((group) =>
      placed(site, ['apps', app, 'nodes', group, 'resources', workload, container, ...path]).map(
        (layer): Layer => (of.group === undefined ? { ...layer, group } : layer),
      ),
    ),
  ];
}
