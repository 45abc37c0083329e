import { CcpError, nearest, throwFindings, type Position } from '#core';
import type { AppSpec, Site } from '#definitions';
import { imagesOf } from '../images-of.ts';
import { bindInstances } from '../instances.ts';
import { exposePaths, WAYS_IN } from './explain-expose.ts';

/** One place that says something about a value. */
export interface Layer {
  readonly at: Position;
  readonly value: unknown;
  /** Why it does not count, where it does not. */
  readonly unused?: string;
}

/** Where a value comes from. */
export interface Explanation {
  readonly key: string;
  /** Lowest first; the last one that counts wins. */
  readonly layers: readonly Layer[];
  /** Of a key that stands for several values: each of them. */
  readonly parts?: readonly Explanation[];
}

type Path = readonly (string | number)[];

/** What is explained. */
export interface ExplainedSite {
  readonly site: Site;
  readonly appSpecs: ReadonlyMap<string, AppSpec>;
  /** The image set that would be applied, and its file; without it images have no layer of it. */
  readonly imageSet?: { readonly file: string; readonly images: readonly { readonly name: string; readonly digest: string }[] };
}

/**
 * Every layer that sets a value: `APP.replicas.WORKLOAD`, `APP.settings.NAME`, `APP.config.FILE.SECTION.OPTION` (or a part of it),
 * `APP.resources.WORKLOAD.CONTAINER`, `APP.image.NAME` for its images, or `APP.image` where it has one, `APP.hosts.ENDPOINT`,
 * `APP.expose.ENDPOINT` with `.tls`, `.listener` or `.annotations.KEY`, and `expose` and `tls` of the site with what is in them.
 * A key that ends before the name of a value stands for all below it. Raises `site-key` with the nearest known name for one that is none, and what `bindInstances` finds.
 */
export function explainKey({ site, appSpecs, imageSet }: ExplainedSite, key: string): Explanation {
  const [app = '', group = '', ...rest] = key.split('.');
  if (Object.hasOwn(WAYS_IN, app) && !Object.hasOwn(site.apps, app)) {
    if (group !== '') known(key, 'value', group, WAYS_IN[app]!);
    return { key, layers: placed(site, key.split('.'), site) };
  }
  const { instances, findings } = bindInstances({ site, appSpecs });
  throwFindings(findings);
  const instance = instances.get(app);
  if (instance === undefined) throw unknown(key, 'app', app, Object.keys(site.apps));
  const { spec, bindings } = instance;
  const inSpec = (path: Path): Layer[] => placed(spec, path, spec);
  const inSite = (path: Path): Layer[] => placed(site, ['apps', app, ...path], site);
  const [name = ''] = rest;
  const endpoints = Object.entries(spec.provides ?? {}).filter(([, { kind }]) => kind === 'endpoint').map(([endpoint]) => endpoint);
  const below: Readonly<Record<string, readonly string[]>> = { replicas: Object.keys(spec.workloads), settings: Object.keys(spec.settings ?? {}), config: Object.keys(spec.config ?? {}), hosts: endpoints, expose: endpoints };
  const names = group === 'expose' && rest.length === 1 ? ['tls', 'listener', 'annotations'] : rest.length === 0 && Object.hasOwn(below, group) ? below[group]! : [];
  if (names.length > 0 && (rest.length === 0 || endpoints.includes(name))) return { key, layers: [], parts: names.map((each) => explainKey({ site, appSpecs, ...(imageSet === undefined ? {} : { imageSet }) }, `${key}.${each}`)) };
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
    case 'image': {
      const names = [...imagesOf(spec)];
      const image = name === '' && names.length === 1 ? names[0]! : name;
      known(key, 'image', image, names);
      const built = imageSet?.images.find((each) => each.name === image);
      return { key, layers: [...(built === undefined ? [] : [{ at: { file: imageSet!.file }, value: `${site.registry}/${image}@${built.digest}` }]), ...placed(site, ['external', image, 'reference'], site)] };
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
    case 'hosts':
    case 'expose': {
      known(key, 'endpoint', name, endpoints);
      if (group === 'hosts') return { key, layers: inSite(['hosts', name]) };
      const paths = exposePaths(app, name, rest.slice(1), site);
      if (paths === undefined) throw unknown(key, 'value', rest[1]!, ['tls', 'annotations', 'listener']);
      return { key, layers: paths.flatMap((path) => placed(site, path, site)) };
    }
    default:
      throw unknown(key, 'kind of value', group, ['replicas', 'settings', 'config', 'resources', 'image', 'hosts', 'expose']);
  }
}

/** An explanation with a line for each layer; the one that wins is marked. */
export function explanationLines({ key, layers, parts }: Explanation, format: (at: Position) => string): string[] {
  if (parts !== undefined) {
    const told = parts.map((part) => ({ part, lines: explanationLines(part, format) })).filter(({ part }) => isSet(part));
    return told.length === 0 ? [`nothing sets ${key}`] : told.flatMap(({ part, lines }) => (part.parts === undefined ? [`${part.key}:`, ...lines.map((line) => `  ${line}`)] : lines));
  }
  if (layers.length === 0) return [`nothing sets ${key}`];
  const winner = layers.findLast(({ unused }) => unused === undefined);
  return layers.map((layer) => `${layer === winner ? '*' : ' '} ${format(layer.at)}: ${JSON.stringify(layer.value)}${layer.unused === undefined ? '' : ` (does not count: ${layer.unused})`}`);
}

function isSet({ layers, parts = [] }: Explanation): boolean {
  return layers.length > 0 || parts.some(isSet);
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
