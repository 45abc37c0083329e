import { digestOf, omitUndefined } from '#core';
import type { AppSpec, Site, SiteCertificate, SiteExposure } from '#definitions';
import type { SchemaRevisions } from '#release';
import type { RenderedSite } from '../model/types.ts';
import { renderChecked } from './render-checked.ts';
import { common, container, job, position } from './tiny-parts.ts';

/** Parts of the site that tests change. */
export interface TinySite {
  /** Part of the digest of each image. */
  readonly release?: string;
  /** A line of web's configuration file. */
  readonly colour?: string;
  readonly webs?: number;
  readonly bases?: number;
  /** Whether pods of `base` can share a node. */
  readonly spread?: 'required' | 'preferred';
  /** Whether pods of `base` leave by an action. */
  readonly leave?: boolean;
  /** Whether `base` writes a dump every night. */
  readonly nightly?: boolean;
  /** Whether `base` can get the data of a dump again, and its dumps become too old. */
  readonly recovers?: boolean;
  /** The action that replaces data has a check before it, `base/probe`. */
  readonly prechecks?: boolean;
  readonly size?: string;
  /** The class of claims. */
  readonly storage?: string;
  /** Without `web`, the site has `base` alone. */
  readonly web?: boolean;
  /** A further app that needs nothing. */
  readonly lone?: boolean;
  /** Generation of a Secret of base of which all its pods must have the same. */
  readonly cookie?: number;
  /** Series of the site, where no two of base's pods may be of another. */
  readonly series?: string;
  /** Migrations of web's image. */
  readonly migrations?: SchemaRevisions;
  /** Generation of web's password at the database. */
  readonly generation?: number;
  /** Whether `base` keeps the password before until no pod uses it. */
  readonly keeps?: boolean;
  /** A further app with a pod on every node, of this release. */
  readonly agent?: string;
  /** Whether the agent uses its node's network and an account at `base`. */
  readonly onNode?: boolean;
  /** Namespace of workloads that need rights on their node. */
  readonly nodeNamespace?: string;
  /** How the outside reaches web at https://web.example.org. */
  readonly expose?: SiteExposure;
  readonly tls?: SiteCertificate;
}

/** The site that `tinySite` renders. */
export const TINY = { name: 'tiny', namespace: 'cloud' } as const;

const LONE: AppSpec = {
  ...common,
  name: 'lone',
  title: 'Lone',
  workloads: {
    lone: {
      kind: 'Deployment',
      role: 'any',
      replicas: { default: 1, rule: 'any' },
      spread: 'preferred',
      grace: 10,
      containers: { lone: container('lone', 81) },
    },
  },
};

/** A site with a stateful `base` that has a claim, and a `web` with an account there. */
export function tinySite(wanted: TinySite = {}): RenderedSite {
  const {
    release = 'one',
    storage = 'standard',
    web = true,
    lone = false,
    generation = 1,
    migrations,
    cookie,
    series,
    agent,
    onNode = false,
    nodeNamespace,
    expose,
    tls = {},
  } = wanted;
  const site = {
    ...TINY,
    ...omitUndefined({ nodeNamespace }),
    schema: '1.0.0',
    cluster: { context: 'fake' },
    series: series ?? '2026.1',
    registry: 'registry.test',
    region: 'R',
    roles: { any: ['role=any'] },
    storage: { default: storage },
    ...(expose === undefined ? {} : { expose, tls }),
    apps: {
      base: cookie === undefined ? {} : { generations: { cookie } },
      ...(web
        ? {
            web: {
              ...(generation === 1 ? {} : { generations: { database: generation } }),
              ...(expose === undefined ? {} : { hosts: { api: 'https://web.example.org' } }),
            },
          }
        : {}),
      ...(lone ? { lone: {} } : {}),
      ...(agent === undefined ? {} : { agent: {} }),
    },
    position,
  } as unknown as Site;
  const images = ['openstack-base', 'base', 'web', 'lone', 'agent'].map((name) => ({
    name,
    digest: digestOf(name === 'web' ? `${name}-${release}` : name),
    ...(name === 'web' ? omitUndefined({ schema: migrations }) : {}),
  }));
  return renderChecked({
    site,
    appSpecs: new Map([
      ['base', baseSpec(wanted)],
      ['web', webSpec(wanted)],
      ['lone', LONE],
      ['agent', agentSpec(agent, onNode)],
    ]),
    imageSet: { series: site.series, images } as never,
  });
}

/** Keeps a database, for which it makes accounts; with actions and a check. */
function baseSpec({
  bases = 2,
  spread = 'preferred',
  leave = false,
  nightly = false,
  recovers = false,
  prechecks = false,
  keeps = false,
  size = '1Gi',
  cookie,
  series,
}: TinySite): AppSpec {
  return {
    ...common,
    name: 'base',
    title: 'Base',
    provides: {
      database: {
        kind: 'database',
        workload: 'base',
        port: 'main',
        scheme: 'sql',
        setup: {
          command: ['make', '${consumer.name}'],
          env: { PASSWORD: '${consumer.password}' },
          resources: {},
        },
        ...(keeps ? { retire: { env: { OTHERS: 'remove' } } } : {}),
      },
    },
    ...(cookie === undefined
      ? {}
      : { secrets: { cookie: { generate: 'password', together: true } } }),
    claims: { dumps: { size } },
    actions: {
      dump: {
        description: 'Writes all to a file.',
        role: 'any',
        command: ['dump', '--to=${parameters.name}'],
        env: { FAST: '${parameters.fast}' },
        resources: {},
        parameters: {
          name: { description: 'Its name.', type: 'text', pattern: '[a-z]+' },
          fast: { description: 'In haste.', type: 'boolean', default: false },
        },
        volumes: { dumps: { shared: 'dumps' } },
        mounts: { dumps: '/dumps' },
        ...(recovers ? { maxAge: 7200 } : {}),
      },
      ...(recovers
        ? {
            recover: {
              description: 'Reads all from a file.',
              role: 'any',
              command: ['recover'],
              resources: {},
              replaces: 'base',
              ...(prechecks ? { precheck: 'probe' } : {}),
            },
            ...(prechecks
              ? { probe: { description: 'x', role: 'any', command: ['probe'], resources: {} } }
              : {}),
          }
        : {}),
      ...(leave
        ? {
            part: {
              description: 'Has members leave.',
              role: 'any',
              command: ['part', '${workloads.base.replicas}'],
              resources: {},
            },
          }
        : {}),
    },
    ...(nightly
      ? {
          schedule: {
            nightly: {
              action: 'dump',
              cron: '0 3 * * *',
              enabled: true,
              parameters: { name: 'nightly' },
            },
          },
        }
      : {}),
    checks: { ping: { description: 'It answers.', role: 'any', command: ['ping'], resources: {} } },
    workloads: {
      base: {
        kind: 'StatefulSet',
        role: 'any',
        replicas: { default: bases, rule: 'any', ...(leave ? { leave: 'part' } : {}) },
        spread,
        ...(recovers ? { leader: 'Only one writes.' } : {}),
        ...(series === undefined ? {} : { together: 'series' }),
        grace: 10,
        volumes: { data: { claim: { size } } },
        containers: {
          base: {
            ...container('serve', 3306),
            mounts: { data: '/data' },
            ...(cookie === undefined ? {} : { env: { COOKIE: '${secrets.cookie.password}' } }),
          },
        },
      },
    },
  };
}

/** Needs an account at the database, and has jobs of every phase. */
function webSpec({ colour = 'red', webs = 2 }: TinySite): AppSpec {
  return {
    ...common,
    name: 'web',
    title: 'Web',
    requires: { database: { kind: 'database' } },
    provides: { api: { kind: 'endpoint', type: 'web', workload: 'web', port: 'main' } },
    config: { 'web.conf': { format: 'ini', layers: [{ content: { DEFAULT: { colour } } }] } },
    workloads: {
      web: {
        kind: 'Deployment',
        role: 'any',
        replicas: { default: webs, rule: 'any' },
        spread: 'preferred',
        grace: 10,
        containers: {
          web: {
            ...container('web', 80, 'anyone'),
            files: { 'web.conf': '/etc/web.conf' },
            env: { URL: '${requires.database.url}' },
          },
        },
      },
    },
    jobs: {
      ...{ expand: job('expand', 'expand'), migrate: job('migrate', 'migrate') },
      ...{ contract: job('contract', 'contract'), register: job('post', 'register') },
    },
  };
}

function agentSpec(release: string | undefined, onNode: boolean): AppSpec {
  const agent = container(`agent-${release}`, 82);
  return {
    ...common,
    ...(onNode ? { requires: { database: { kind: 'database' } } } : {}),
    name: 'agent',
    title: 'Agent',
    workloads: {
      agent: {
        kind: 'DaemonSet',
        role: 'any',
        grace: 10,
        ...(onNode ? { host: { network: 'It carries traffic.' } } : {}),
        containers: {
          agent: onNode ? { ...agent, env: { URL: '${requires.database.url}' } } : agent,
        },
      },
    },
  };
}
