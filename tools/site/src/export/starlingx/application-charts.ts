import type { Bound } from '../../model/bound.ts';
import type { SiteInput } from '../../model/types.ts';
import { namespaceGuard, notesText } from '../chart/chart-parts.ts';
import { partFiles } from '../chart/part-files.ts';
import { siteCharts, type ChartPart } from '../chart/site-charts.ts';
import { commonChart, type ApplicationChart } from './application.ts';
import { BY_TAG } from './tag-values.ts';

/**
 * The charts of an application: one with the objects of the site, then one for each instance. Each
 * is a release of its own, so none depends on another chart's values. Throws `application-invalid`
 * for images without a tag.
 */
export function applicationCharts(
  bound: Bound,
  input: SiteInput,
  version: string,
): ApplicationChart[] {
  const { site } = bound;
  const { common, instances } = siteCharts(bound, input, BY_TAG);
  const chart = (name: string, { values, templates }: ChartPart): ApplicationChart => ({
    name,
    version,
    images: Object.fromEntries(
      values
        .filter(({ path }) => path[0] === 'images')
        .map(({ path, value }) => [path.at(-1)!, String(value)]),
    ),
    files: [
      ...partFiles(name, version, site, { values }),
      { path: 'templates/namespace.yaml', text: namespaceGuard(site.namespace) },
      ...templates,
    ],
  });
  const top = chart(commonChart(site.name), common);
  return [
    {
      ...top,
      files: [...top.files, { path: 'templates/NOTES.txt', text: notesText(site.name) }],
    },
    ...[...instances].map(([name, part]) => chart(name, part)),
  ];
}
