import { Option } from 'commander';
import { CcpError, counted, omitUndefined } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { parseNumber, SET, TRUST } from '../../options.ts';

export interface TarballFlags extends TrustFlags {
  readonly output?: string;
  readonly name?: string;
  readonly number?: number;
  readonly images?: boolean;
  readonly set?: string;
}

/** `ccp export tarball SITE`: an application for StarlingX. */
export const tarball: CommandDefinition<TarballFlags> = {
  usage: 'tarball <site>',
  description: 'write an application for StarlingX: charts, Flux manifests and metadata',
  options: [
    new Option('-o, --output <file>', 'new file, .tgz (default: NAME-VERSION.tgz)'),
    new Option('--name <name>', 'name of the application (default: that of the site)'),
    new Option('--number <number>', 'last part of the version: SERIES-NUMBER')
      .argParser(parseNumber)
      .default(0),
    new Option(
      '--images',
      'also write FILE-images: an OCI layout, with a script that loads it into registry.local:9001',
    ),
    SET,
    TRUST,
  ],
  examples: [
    'ccp export tarball example',
    'ccp export tarball example --number 3 -o example.tgz',
    'ccp export tarball example --images',
  ],
  run: async (context, [site = ''], { number = 0, images = false, ...flags }) => {
    const { name = site } = flags;
    if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))
      throw new CcpError({
        code: 'usage',
        message: `--name must have lower-case letters, digits and dashes, not ${JSON.stringify(name)}`,
      });
    const { exportApplication } = await import('../../compose/starlingx/export-application.ts');
    const written = await exportApplication(context, site, {
      ...omitUndefined({ file: flags.output, set: flags.set, trust: flags.trust }),
      name,
      number,
      images,
    });
    const { file, version, charts, layout } = written;
    context.output.result(
      [
        `${name} ${version} with ${counted(charts.length, 'chart')} written to ${file}`,
        ...(layout === undefined ? [] : [`its images are in ${layout}`]),
      ].join('\n'),
      omitUndefined({ file, name, version, charts, layout }),
    );
    return 0;
  },
};
