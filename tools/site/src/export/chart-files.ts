import { createRequire } from 'node:module';
import type { KubernetesObject } from '#ports';
import { contentOf } from '../model/content-of.ts';
import { isApplySet } from '../model/labels.ts';
import { keyOf } from '../model/object-key.ts';
import type { RenderedSite } from '../model/types.ts';

/** A file of a Helm chart. */
export interface ChartFile {
  /** Below the chart's folder. */
  readonly path: string;
  readonly text: string;
}

const require = createRequire(import.meta.url);

/**
 * Converts a rendered site to a Helm chart without values: one object per file, jobs and workloads
 * by wave. Helm creates the site's namespace (`--create-namespace`); a namespace of agents is part
 * of the chart. Helm does not order the other objects: pods and jobs restart until their
 * dependencies are ready. Helm reads YAML 1.1, so text with another meaning in YAML 1.1 is quoted.
 */
export function chartFiles(
  rendered: RenderedSite,
  site: { readonly name: string; readonly namespace: string; readonly series: string },
): ChartFile[] {
  const { stringify } = require('yaml') as typeof import('yaml');
  const text = (value: object): string =>
    stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' });
  const chart = {
    apiVersion: 'v2',
    name: site.name,
    description: `${site.name} for the namespace ${site.namespace}, rendered by ccp`,
    type: 'application',
    version: `0.1.0+${contentOf(rendered).slice(0, 16)}`,
    appVersion: site.series,
  };
  const file =
    (folder: string) =>
    (object: KubernetesObject): ChartFile => ({
      path: `templates/${folder}/${keyOf(object, site).toLowerCase().replaceAll('/', '-')}.yaml`,
      text: asTemplate(text(object)),
    });
  const foundation = rendered.foundation.filter(
    (object) =>
      !(object.kind === 'Namespace' && object.metadata.name === site.namespace) &&
      !isApplySet(object, site),
  );
  return [
    { path: 'Chart.yaml', text: text(chart) },
    ...foundation.map(file('foundation')),
    ...rendered.steps.flatMap(({ wave, objects }) => objects.map(file(`wave-${wave}`))),
  ];
}

/** Escapes text so that Helm's templates return it unchanged. */
function asTemplate(text: string): string {
  return text.replaceAll(/\{\{|\}\}/g, (braces) => `{{ "${braces}" }}`);
}
