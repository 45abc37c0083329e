import { createRequire } from 'node:module';
import type { KubernetesObject } from '#ports';
import { contentOf } from '../model/content-of.ts';
import { isApplySet } from '../model/labels.ts';
import type { RenderedSite } from '../model/types.ts';

/** A file of a Helm chart. */
export interface ChartFile {
  /** Below the chart's folder. */
  readonly path: string;
  readonly text: string;
}

const require = createRequire(import.meta.url);

/**
 * A rendered site as a Helm chart without values: an object per file, jobs and workloads by wave. Helm makes the namespace
 * (`--create-namespace`) and knows no order among the rest: pods and jobs start over until what they need is there. Helm reads YAML
 * 1.1, so text that is something else there is quoted.
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
      path: `templates/${folder}/${object.kind.toLowerCase()}-${object.metadata.name}.yaml`,
      text: asTemplate(text(object)),
    });
  const foundation = rendered.foundation.filter(
    (object) => object.kind !== 'Namespace' && !isApplySet(object, site),
  );
  return [
    { path: 'Chart.yaml', text: text(chart) },
    ...foundation.map(file('foundation')),
    ...rendered.steps.flatMap(({ wave, objects }) => objects.map(file(`wave-${wave}`))),
  ];
}

/** Text that Helm's templates give back as it was. */
function asTemplate(text: string): string {
  return text.replaceAll(/\{\{|\}\}/g, (braces) => `{{ "${braces}" }}`);
}
