import { InvalidArgumentError, Option } from 'commander';
import { counted } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { SET, TRUST } from '../../options.ts';

export interface ChartFlags extends TrustFlags {
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
    SET,
    TRUST,
  ],
  examples: ['ccp export chart example', 'ccp export chart example -o charts --number 3'],
  run: async (context, [name = ''], { output: folder = `${name}-chart`, number = 0, ...set }) => {
    const { siteToRender } = await import('../../compose/deploy/gated-site.ts');
    const { bind, boundOrThrow, chartFiles, chartVersion } = await import('#site');
    const { writeNewFolder } = await import('../../state/new-folder.ts');
    const input = await siteToRender(context, name, set);
    const version = chartVersion(input.site.series, number);
    const bound = boundOrThrow(bind(input));
    const files = chartFiles(bound, input, version);
    writeNewFolder(folder, files);
    const charts = [name, ...bound.instances.keys()];
    context.output.result(
      `${counted(charts.length, 'chart')} of version ${version} written to ${folder}`,
      { folder, version, charts, files: files.map(({ path }) => path) },
    );
    return 0;
  },
};

function parseNumber(text: string): number {
  if (!/^(?:0|[1-9]\d{0,8})$/.test(text))
    throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
