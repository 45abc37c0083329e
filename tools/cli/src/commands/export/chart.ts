import { Option } from 'commander';
import { CcpError, counted, omitUndefined, type Json } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { KeyFlags, TrustFlags } from '../../compose/registry-place.ts';
import { KEY, parseNumber, SET, TRUST } from '../../options.ts';

const SCHEME = 'oci://';

export interface ChartFlags extends KeyFlags, TrustFlags {
  /** Registry and path to publish to. */
  readonly push?: string;
  readonly output?: string;
  readonly number?: number;
  readonly set?: string;
}

/** `ccp export chart SITE`: a Helm chart of the site with a chart for each app below it. */
export const chart: CommandDefinition<ChartFlags> = {
  usage: 'chart <site>',
  description: 'write a folder with a Helm chart of a site and of each of its apps',
  options: [
    new Option('-o, --output <folder>', 'new or empty folder (default: SITE-chart)'),
    new Option('--number <number>', 'last part of the version: SERIES.NUMBER')
      .argParser(parseNumber)
      .default(0),
    new Option('--push <registry>', 'also publish it, like oci://registry.example.org/charts'),
    ...KEY,
    SET,
    TRUST,
  ],
  examples: [
    'ccp export chart example',
    'ccp export chart example -o charts --number 3',
    'ccp export chart example --push oci://registry.example.org/charts --key release.key',
  ],
  run: async (
    context,
    [name = ''],
    { output: folder = `${name}-chart`, number = 0, push, ...set },
  ) => {
    const { siteToRender } = await import('../../compose/deploy/gated-site.ts');
    const { bind, boundOrThrow, chartFiles, chartVersion } = await import('#site');
    const { writeNewFolder } = await import('../../state/new-folder.ts');
    const publish = push === undefined ? undefined : await publisher(push, set);
    const input = await siteToRender(context, name, set);
    const version = chartVersion(input.site.series, number);
    const bound = boundOrThrow(bind(input));
    const files = chartFiles(bound, input, version);
    writeNewFolder(folder, files);
    const published = await publish?.(files);
    const charts = [name, ...bound.instances.keys()];
    context.output.result(
      [
        `${counted(charts.length, 'chart')} of version ${version} written to ${folder}`,
        ...(published === undefined ? [] : [`published as ${published}`]),
      ].join('\n'),
      {
        folder,
        version,
        charts,
        files: files.map(({ path }) => path),
        ...omitUndefined({ published }),
      },
    );
    return 0;
  },
};

type Files = readonly { readonly path: string; readonly text: string }[];

/**
 * A function that publishes the chart of the site, which has the others, and resolves with its
 * reference by digest. The flags are checked first, so that a wrong flag leaves no folder.
 */
async function publisher(
  push: string,
  flags: KeyFlags,
): Promise<(files: Files) => Promise<string>> {
  if (!push.startsWith(SCHEME))
    throw new CcpError({
      code: 'usage',
      message: `${JSON.stringify(push)} does not start with ${SCHEME}`,
      hint: `use a registry and a path, like ${SCHEME}registry.example.org/charts`,
    });
  const { parse } = await import('yaml');
  const { publishChart } = await import('#release');
  const { openPlace, signerOfFlags } = await import('../../compose/registry-place.ts');
  const { chartArchive } = await import('../../compose/deploy/chart-archive.ts');
  const signer = signerOfFlags(flags);
  const place = await openPlace(push.slice(SCHEME.length), '--to');
  return async (files) => {
    const metadata = parse(files.find(({ path }) => path === 'Chart.yaml')!.text) as {
      readonly name: string;
      readonly version: string;
    };
    const { name, version } = metadata;
    const archive = await chartArchive(name, files);
    const chart = { name, version, metadata: metadata as unknown as Json, archive };
    const { repository, digest } = await publishChart(place, chart, signer);
    return `${SCHEME}${place.registry.host}/${repository}@${digest}`;
  };
}
