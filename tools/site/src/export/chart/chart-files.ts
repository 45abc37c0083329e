import type { Bound } from '../../model/bound.ts';
import type { SiteInput } from '../../model/types.ts';
import type { ExportFile } from '../export-file.ts';
import { chartMetadata, IMAGE_HELPER, namespaceGuard, notesText } from './chart-parts.ts';
import { BY_DIGEST } from './image-values.ts';
import { partFiles } from './part-files.ts';
import { isGlobal, siteCharts } from './site-charts.ts';
import { valuesSchema, valuesText, type ChartValue } from './values-text.ts';

/** Files of the Helm charts of a site: a chart for each instance below a chart of the site. */
export function chartFiles(bound: Bound, input: SiteInput, version: string): ExportFile[] {
  const { site } = bound;
  const { common, instances, globals } = siteCharts(bound, input, BY_DIGEST);
  const names = [...instances.keys()];
  const all: readonly ChartValue[] = [
    ...globals,
    ...[...instances].flatMap(([name, { values }]) =>
      values
        .filter((value) => !isGlobal(value))
        .map((value) => ({ ...value, path: [name, ...value.path] })),
    ),
  ];
  return [
    { path: 'Chart.yaml', text: chartMetadata(site.name, version, site, names) },
    { path: 'values.yaml', text: valuesText(all) },
    { path: 'values.schema.json', text: valuesSchema(globals, names) },
    { path: 'templates/_image.tpl', text: IMAGE_HELPER },
    { path: 'templates/namespace.yaml', text: namespaceGuard(site.namespace) },
    { path: 'templates/NOTES.txt', text: notesText(site.name) },
    ...common.templates,
    ...[...instances].flatMap(([name, { values, templates }]) =>
      [
        ...partFiles(name, version, site, { values }),
        { path: 'templates/_image.tpl', text: IMAGE_HELPER },
        ...templates,
      ].map(({ path, text }) => ({ path: `charts/${name}/${path}`, text })),
    ),
  ];
}
