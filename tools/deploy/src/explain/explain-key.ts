import { CcpError, nearest, type Position } from '#core';
import type { AppSpec, Site } from '#definitions';
import { bindInstances } from '../instances.ts';

/** One place that says something about a value. */
export interface Layer {
  readonly at: Position;
  readonly value: unknown;
  /** Why it does not count, where it does not. */
  readonly unused?: string;
}

export interface Explanation {
  readonly key: string;
  /** Lowest first; the last one that counts wins. */
  readonly layers: readonly Layer[];
}

type Path = readonly (string | number)[];

/**
 * Every layer that sets a value: `APP.replicas.WORKLOAD`, `APP.settings.NAME`, `APP.config.FILE.SECTION.OPTION` (or a part of it) and
 * `APP.resources.WORKLOAD.CONTAINER`. Raises `site-key` with the nearest known name for one that is none, and what
 * `bindInstances` raises.
 */
export function explainKey({ site, appSpecs }: { readonly site: Site; readonly appSpecs: ReadonlyMap<string, AppSpec> }, key: string): Explanation {
  const [app = '', group = '', ...rest] = key.split('.');
  const instance = bindInstances({ site, appSpecs, imageSet: { series: site.series, images: [] } }).get(app);
  if (instance === undefined) throw unknown(key, 'app', app, Object.keys(site.apps));
  const { spec, bindings } = instance;
  const inSpec = (path: Path): Layer[] => placed(spec, path, spec);
  const inSite = (path: Path): Layer[] => placed(site, ['apps', app, ...path], site);
  const [name = ''] = rest;
  switch (group) {
    case 'replicas':
      known(key, 'workload', name, Object.keys(spec.workloads));
      return { key, layers: [...inSpec(['workloads', name, 'replicas', 'default']), ...inSite(['replicas', name])] };
    case 'settings':
      known(key, 'setting', name, Object.keys(spec.settings ?? {}));
      return { key, layers: [...inSpec(['settings', name, 'default']), ...inSite(['settings', name])] };
    case 'resources': {
      const [, container = ''] = rest;
      known(key, 'workload', name, Object.keys(spec.workloads));
      known(key, 'container', container, Object.keys(spec.workloads[name]!.containers));
      return { key, layers: [...inSpec(['workloads', name, 'containers', container, 'resources']), ...inSite(['resources', name, container])] };
    }
    case 'config': {
      const files = Object.keys(spec.config ?? {});
      const text = rest.join('.');
      const file = files.find((each) => text === each || text.startsWith(`${each}.`));
      if (file === undefined) throw unknown(key, 'configuration file', text, files);
      const option = text.slice(file.length + 1).split('.').filter((part) => part !== '');
      const layers = spec.config![file]!.layers.flatMap(({ when }, index) => {
        const unmet = when !== undefined && !bindings.has(when.replace(/^requires\./, '')) ? { unused: `${when} is not met` } : {};
        return inSpec(['config', file, 'layers', index, 'content', ...option]).map((layer) => ({ ...layer, ...unmet }));
      });
      return { key, layers: [...layers, ...inSite(['config', file, ...option])] };
    }
    default:
      throw unknown(key, 'kind of value', group, ['replicas', 'settings', 'config', 'resources']);
  }
}

/** An explanation with a line for each layer; the one that wins is marked. */
export function explanationLines({ key, layers }: Explanation, format: (at: Position) => string): string[] {
  if (layers.length === 0) return [`nothing sets ${key}`];
  const winner = layers.findLast(({ unused }) => unused === undefined);
  return layers.map((layer) => `${layer === winner ? '*' : ' '} ${format(layer.at)}: ${JSON.stringify(layer.value)}${layer.unused === undefined ? '' : ` (does not count: ${layer.unused})`}`);
}

function placed(tree: object, path: Path, { position }: Pick<Site, 'position'>): Layer[] {
  let value: unknown = tree;
  for (const step of path) value = typeof value === 'object' && value !== null ? (value as Readonly<Record<string | number, unknown>>)[step] : undefined;
  return value === undefined ? [] : [{ at: position(path), value }];
}

function known(key: string, what: string, name: string, names: readonly string[]): void {
  if (!names.includes(name)) throw unknown(key, what, name, names);
}

function unknown(key: string, what: string, name: string, names: readonly string[]): CcpError {
  const meant = nearest(name, names);
  return new CcpError({ code: 'site-key', message: `"${key}" names no ${what}: there is no "${name}"`, hint: meant === undefined ? `known: ${names.join(', ') || 'none'}` : `did you mean "${meant}"?` });
}
