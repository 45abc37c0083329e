import { digestOf } from '#core';
import { parseAppSpec, parseSite, type AppSpec } from '#definitions';
import type { SiteInput } from './types.ts';

/** An image set for tests: the digest of an image is that of its name. */
export function imageSetOf(names: readonly string[]): SiteInput['imageSet'] {
  return { series: '2026.1', images: names.map((name) => ({ name, digest: digestOf(name) })) } as unknown as SiteInput['imageSet'];
}

/** Input of a render from the texts of app specs and the `apps` of a site (flow YAML), with images of the same names. */
export function siteInput(apps: string, specs: Readonly<Record<string, string>>): SiteInput {
  const site = `schema: 1.0.0
cluster: { context: test }
namespace: cloud
series: "2026.1"
registry: registry.test/ccp
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: standard }
apps: ${apps}
`;
  const appSpecs = new Map(Object.entries(specs).map(([name, text]): [string, AppSpec] => [name, parseAppSpec(text, `images/${name}/app.yaml`, name)]));
  return { site: parseSite(site, 'site.yaml', 'test'), appSpecs, imageSet: imageSetOf(['openstack-base', ...Object.keys(specs)]) };
}

/** An app spec with one workload of one container that listens on port 80; `more` are further top-level keys, `container` further ones of it. */
export function appText(name: string, more = '', container = ''): string {
  return `schema: 1.0.0
title: ${name}
user: { uid: 1000, gid: 1000 }
workloads:
  ${name}:
    kind: Deployment
    role: control-plane
    replicas: { default: 1, rule: any }
    spread: preferred
    grace: 30
    containers:
      main:
        command: [serve]
        ports: { http: { port: 80, from: consumers } }
        resources: {}
${container === '' ? '' : `        ${container}\n`}${more}`;
}
