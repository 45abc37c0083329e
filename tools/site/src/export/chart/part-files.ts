import type { ExportFile } from '../export-file.ts';
import { chartMetadata } from './chart-parts.ts';
import { isGlobal, type ChartPart } from './site-charts.ts';
import { valuesSchema, valuesText } from './values-text.ts';

/** Metadata, values and their schema of the chart of a part of a site. */
export function partFiles(
  name: string,
  version: string,
  site: { readonly name: string; readonly series: string },
  { values }: Pick<ChartPart, 'values'>,
): readonly ExportFile[] {
  const own = values.filter((value) => !isGlobal(value));
  return [
    { path: 'Chart.yaml', text: chartMetadata(name, version, site, []) },
    { path: 'values.yaml', text: valuesText(values) },
    { path: 'values.schema.json', text: valuesSchema(own, ['global']) },
  ];
}
