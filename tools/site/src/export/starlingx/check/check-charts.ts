import { isRecord } from '#core';
import type { Findings } from './findings.ts';
import type { ApplicationContent } from './read-application.ts';
import { parseFirst, type Mapping } from './yaml-of.ts';

const SEMVER =
  /^v?\d+\.\d+\.\d+(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** A chart of an application. */
export interface CheckedChart {
  /** Path of its archive. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** The folder that its archive makes below `charts/`. */
  readonly folder: string;
  readonly values: Mapping;
}

/** The rules of `charts/`. Returns the charts that can be read. */
export function checkCharts(
  { files, charts }: ApplicationContent,
  found: Findings,
): readonly CheckedChart[] {
  const archives = [...files.keys()].filter((path) => path.startsWith('charts/'));
  if (!archives.some((path) => path.endsWith('.tgz')))
    found.error(
      'charts',
      'charts',
      'it has no chart (.tgz)',
      'add a package of each chart: helm package FOLDER -d charts',
    );
  const checked = [...charts].flatMap(([path, chart]) => checkChart(path, chart, found));
  for (const [id, same] of Map.groupBy(checked, ({ name, version }) => `${name} ${version}`))
    if (same.length > 1)
      found.error(
        'charts',
        same[1]!.path,
        `it is ${id}, like ${same[0]!.path}`,
        'give each chart another version: StarlingX refuses a known version with other content',
      );
  return checked;
}

function checkChart(
  path: string,
  chart: ReadonlyMap<string, Uint8Array>,
  found: Findings,
): readonly CheckedChart[] {
  const refuse = (message: string, hint: string): readonly CheckedChart[] => {
    found.error('chart', path, message, hint);
    return [];
  };
  const folders = [...new Set([...chart.keys()].map((file) => file.split('/')[0]!))];
  const [folder = ''] = folders;
  if (folders.length !== 1)
    return refuse(`it has ${folders.length} folders instead of one`, 'pack it with `helm package`');
  const read = (name: string): unknown => {
    const data = chart.get(`${folder}/${name}`);
    return data === undefined ? undefined : parseFirst(data);
  };
  try {
    const metadata = read('Chart.yaml');
    if (!isRecord(metadata))
      return refuse(`${folder}/Chart.yaml is missing`, 'pack it with `helm package`');
    const { name, version, apiVersion } = metadata;
    if (typeof name !== 'string' || name !== folder)
      return refuse(
        `its name ${JSON.stringify(name)} is not that of its folder ${folder}`,
        'pack it with `helm package`',
      );
    if (typeof version !== 'string' || !SEMVER.test(version))
      return refuse(
        `its version ${JSON.stringify(version)} is not a semantic version`,
        'use three numbers, like "2026.1.0"',
      );
    if (typeof apiVersion !== 'string')
      return refuse('Chart.yaml has no apiVersion', 'set `apiVersion: v2`');
    const values = read('values.yaml') ?? {};
    if (!isRecord(values)) return refuse('values.yaml is not a mapping', 'write keys and values');
    return [{ path, name, version, folder, values }];
  } catch (thrown) {
    return refuse(
      `it has a file that is not YAML: ${(thrown as Error).message.split('\n')[0]}`,
      'check it with `helm lint`',
    );
  }
}
