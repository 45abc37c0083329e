import { digestOf } from '#core';
import type { AppSpec, parseAppSpec, parseSite } from '#definitions';
import type { SiteInput } from '../model/types.ts';

/** An image set: the digest of an image is that of its name. */
export function testImageSet(names: readonly string[]): SiteInput['imageSet'] {
  return {
    series: '2026.1',
    images: names.map((name) => ({ name, digest: digestOf(name) })),
  } as unknown as SiteInput['imageSet'];
}

/** The readers of `#definitions`, which this package knows by their types alone. */
interface Readers {
  readonly parseAppSpec: typeof parseAppSpec;
  readonly parseSite: typeof parseSite;
}

/**
 * Gives inputs of a render from the `apps` of a site (flow YAML), the texts of app specs, with
 * images of the same names, and further top-level keys of the site.
 */
export function siteInputs(
  read: Readers,
): (apps: string, specs: Readonly<Record<string, string>>, more?: string) => SiteInput {
  return (apps, specs, more = '') => {
    const site = `schema: 1.0.0
cluster: { context: test }
namespace: cloud
series: "2026.1"
registry: registry.test/ccp
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: standard }
apps: ${apps}
${more}`;
    const appSpecs = new Map(
      Object.entries(specs).map(([name, text]): [string, AppSpec] => [
        name,
        read.parseAppSpec(text, `images/${name}/app.yaml`, name),
      ]),
    );
    return {
      site: read.parseSite(site, 'site.yaml', 'test'),
      appSpecs,
      imageSet: testImageSet(['openstack-base', ...Object.keys(specs)]),
    };
  };
}

/**
 * An app spec with one workload of one container that listens on port 80; `more` are further
 * top-level keys, `container` further ones of it.
 */
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
