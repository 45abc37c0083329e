import { CcpError, nearest, throwFindings } from '#core';
import type { AppSpec, Site } from '#definitions';
import { imagesOf } from '../bind/images-of.ts';
import { bindInstances } from '../bind/instances.ts';
import { ACCOUNT_KINDS } from '../bind/secret-requests.ts';
import type { Instance } from '../model/instance.ts';
import { explainConfig } from './explain-config.ts';
import { explainExpose } from './explain-expose.ts';
import { explainNodes } from './explain-nodes.ts';
import { explainRequirement } from './explain-requirement.ts';
import { explainResources } from './explain-resources.ts';
import { workloadsOf, type ExplainedApp } from './explained-app.ts';
import { known, type Explanation, type Layer } from './explanation.ts';
import { placed } from './placed.ts';

/** The site to explain. */
export interface ExplainedSite {
  readonly site: Site;
  readonly appSpecs: ReadonlyMap<string, AppSpec>;
  /** The image set that would be applied, and its file; without it images have no layer of it. */
  readonly imageSet?: {
    readonly file: string;
    readonly images: readonly { readonly name: string; readonly digest: string }[];
  };
}

/** Keys of a site that apply to all apps, with the names of their fixed parts. */
const OF_SITE: Readonly<Record<string, readonly string[] | undefined>> = {
  keys: [],
  namespace: [],
  nodeNamespace: [],
  region: [],
  registry: [],
  series: [],
  roles: undefined,
  storage: undefined,
  watchers: [],
  operator: ['namespace'],
  external: undefined,
  conflicts: undefined,
  cluster: ['context', 'domain', 'nodes'],
  expose: ['ingress', 'gateway', 'from'],
  tls: ['secret', 'issuer', 'ca'],
} satisfies Record<
  Exclude<keyof Site, 'name' | 'schema' | 'apps' | 'position'>,
  readonly string[] | undefined
>;

/**
 * A kind of value that is known by names: how they are called, which there are, and each of them.
 */
interface NamedValues {
  readonly what: string;
  names(instance: Instance): readonly string[];
  explain(of: ExplainedApp, key: string, name: string, below: readonly string[]): Explanation;
}

const NAMED: Readonly<Record<string, NamedValues>> = {
  replicas: {
    what: 'workload',
    names: workloadsOf,
    explain: (of, key, name) =>
      layered(of, key, ['workloads', name, 'replicas', 'default'], ['replicas', name]),
  },
  settings: {
    what: 'setting',
    names: ({ spec }) => Object.keys(spec.settings ?? {}),
    explain: (of, key, name) => layered(of, key, ['settings', name, 'default'], ['settings', name]),
  },
  schedule: {
    what: 'schedule',
    names: ({ spec }) => Object.keys(spec.schedule ?? {}),
    explain: explainSchedule,
  },
  requires: {
    what: 'requirement',
    names: ({ spec }) => Object.keys(spec.requires ?? {}),
    explain: explainRequirement,
  },
  generations: {
    what: 'generated Secret',
    names: secretsOf,
    explain: (of, key, name) => ({
      key,
      layers: [...firstGeneration(of, name), ...inSite(of, ['generations', name])],
    }),
  },
  hosts: {
    what: 'endpoint',
    names: endpointsOf,
    explain: (of, key, name) => ({ key, layers: inSite(of, ['hosts', name]) }),
  },
  expose: {
    what: 'endpoint',
    names: endpointsOf,
    explain: ({ site, instance }, key, name, below) =>
      explainExpose(site, instance.name, key, [name, ...below]),
  },
};

const KINDS = [...Object.keys(NAMED), 'config', 'resources', 'nodes', 'image', 'egress'];

/**
 * Returns every layer that sets a value. Keys:
 * - `APP.replicas.WORKLOAD`, `APP.settings.NAME`, `APP.config.FILE.SECTION.OPTION`,
 * - `APP.resources.WORKLOAD.CONTAINER.limits.memory`,
 * - `APP.nodes.GROUP`, and its values with `.config…` or `.resources…`,
 * - `APP.image.NAME`, or `APP.image` if the app has one image,
 * - `APP.requires.NAME`, `APP.generations.SECRET`, `APP.schedule.NAME`, `APP.hosts.ENDPOINT`,
 *   `APP.egress`, `APP.expose.ENDPOINT` with `.tls`, `.listener` or `.annotations.KEY`,
 * - values for all apps, such as `namespace`, `storage.default`, `expose` and `tls`.
 *
 * A prefix, such as an app's name, selects everything below it. Throws `site-key` with the nearest
 * known name for an unknown key, and the findings of `bindInstances`.
 */
export function explainKey({ site, appSpecs, imageSet }: ExplainedSite, key: string): Explanation {
  const [app = '', kind = '', ...rest] = key.split('.');
  if (Object.hasOwn(OF_SITE, app) && !Object.hasOwn(site.apps, app)) {
    const names = OF_SITE[app];
    if (kind !== '' && names !== undefined) known(key, 'key', kind, names);
    return {
      key,
      layers: placed(site, [app], [kind, ...rest].filter((part) => part !== '').join('.')),
    };
  }
  const { instances, findings } = bindInstances({ site, appSpecs });
  throwFindings(findings);
  const instance = instances.get(app);
  if (instance === undefined) throw unknownApp(key, app, site);
  const of: ExplainedApp = { site, instance, instances };
  if (kind === '')
    return {
      key,
      layers: [],
      parts: KINDS.map((each) => explainKind(of, `${app}.${each}`, [each], imageSet)),
    };
  return explainKind(of, key, [kind, ...rest], imageSet);
}

function explainKind(
  of: ExplainedApp,
  key: string,
  [kind = '', ...rest]: readonly string[],
  imageSet: ExplainedSite['imageSet'],
): Explanation {
  if (Object.hasOwn(NAMED, kind)) return explainNamed(NAMED[kind]!, of, key, rest);
  switch (kind) {
    case 'resources':
      return explainResources(of, key, rest);
    case 'nodes':
      return explainNodes(of, key, rest);
    case 'image':
      return explainImage(of, key, rest.join('.'), imageSet);
    case 'egress':
      return { key, layers: inSite(of, ['egress', ...rest]) };
    case 'config': {
      if (rest.length > 0) return explainConfig(of, key, rest.join('.'));
      const files = Object.keys(of.instance.spec.config ?? {});
      return {
        key,
        layers: [],
        parts: files.map((file) => explainConfig(of, `${key}.${file}`, file)),
      };
    }
    default:
      known(key, 'key', kind, KINDS);
      return { key, layers: [] };
  }
}

function explainNamed(
  { what, names, explain }: NamedValues,
  of: ExplainedApp,
  key: string,
  [name, ...below]: readonly string[],
): Explanation {
  const there = names(of.instance);
  if (name === undefined)
    return { key, layers: [], parts: there.map((each) => explain(of, `${key}.${each}`, each, [])) };
  known(key, what, name, there);
  return explain(of, key, name, below);
}

function explainSchedule(
  of: ExplainedApp,
  key: string,
  name: string,
  [part]: readonly string[],
): Explanation {
  const parts = ['enabled', 'cron'];
  if (part === undefined)
    return {
      key,
      layers: [],
      parts: parts.map((each) => explainSchedule(of, `${key}.${each}`, name, [each])),
    };
  known(key, 'key', part, parts);
  return layered(of, key, ['schedule', name, part], ['schedule', name, part]);
}

function explainImage(
  of: ExplainedApp,
  key: string,
  name: string,
  imageSet: ExplainedSite['imageSet'],
): Explanation {
  const { site, instance } = of;
  const names = [...imagesOf(instance.spec)];
  if (name === '' && names.length > 1)
    return {
      key,
      layers: [],
      parts: names.map((each) => explainImage(of, `${key}.${each}`, each, imageSet)),
    };
  const image = name === '' ? names[0]! : name;
  known(key, 'image', image, names);
  const built = imageSet?.images.find((each) => each.name === image);
  return {
    key,
    layers: [
      ...(built === undefined
        ? []
        : [{ at: { file: imageSet!.file }, value: `${site.registry}/${image}@${built.digest}` }]),
      ...placed(site, ['external', image, 'reference']),
    ],
  };
}

function layered(
  of: ExplainedApp,
  key: string,
  own: readonly string[],
  override: readonly string[],
): Explanation {
  return { key, layers: [...placed(of.instance.spec, own), ...inSite(of, override)] };
}

function inSite({ site, instance }: ExplainedApp, path: readonly string[]): Layer[] {
  return placed(site, ['apps', instance.name, ...path]);
}

/** A Secret that the site says nothing of is of its first generation. */
function firstGeneration({ instance: { spec } }: ExplainedApp, name: string): Layer[] {
  return [
    {
      at: spec.position([Object.hasOwn(spec.secrets ?? {}, name) ? 'secrets' : 'requires', name]),
      value: 1,
    },
  ];
}

function endpointsOf({ spec: { provides = {} } }: Instance): string[] {
  return Object.keys(provides).filter((name) => provides[name]!.kind === 'endpoint');
}

function secretsOf({ spec: { secrets = {}, requires = {} } }: Instance): string[] {
  return [
    ...Object.keys(secrets),
    ...Object.keys(requires).filter((name) => ACCOUNT_KINDS.has(requires[name]!.kind)),
  ];
}

function unknownApp(key: string, app: string, site: Site): CcpError {
  const meant = nearest(app, [...Object.keys(site.apps), ...Object.keys(OF_SITE)]);
  return new CcpError({
    code: 'site-key',
    message: `unknown app "${app}" in "${key}"`,
    hint:
      meant === undefined
        ? `known: ${Object.keys(site.apps).join(', ')}`
        : `did you mean "${meant}"?`,
  });
}
