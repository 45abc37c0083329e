import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';
import { sizeText } from '../report/text.ts';

export interface FetchFlags {
  readonly offline?: boolean;
}

/** `ccp fetch`: downloads every locked input into the cache, for offline builds. */
export const fetchCommand: CommandDefinition<FetchFlags> = {
  usage: 'fetch [images...]',
  description: 'download all locked inputs into the cache',
  options: [new Option('--offline', 'download nothing; report missing inputs')],
  examples: ['ccp fetch', 'ccp fetch keystone --series 2025.2'],
  series: 'each',
  run: async ({ root, output, flags }, names, { offline }) => {
    const { refuseLocks } = await import('#locks');
    const { installPackages } = await import('../compose/engines.ts');
    const { fetchImages } = await import('../compose/inputs.ts');
    const { lockStatuses, openProject, selection } = await import('../compose/plan.ts');
    const { originOf } = await import('../compose/settings.ts');
    const { reportFetch } = await import('../report/fetch.ts');
    const project = openProject(root, flags.series);
    const images = selection(project, names);
    const refused = refuseLocks(lockStatuses(project), images);
    if (refused !== undefined) throw refused;
    const origin = originOf(project.settings);
    const report = await fetchImages(project, images, {
      origin,
      offline: offline === true,
      installPackages: (names) => installPackages(names, output, flags.yes === true),
      events: reportFetch(output),
    });
    output.result(
      `${report.reused} inputs were in the cache, ${report.fetched} were downloaded (${sizeText(report.received)})`,
      report,
    );
    return 0;
  },
};
