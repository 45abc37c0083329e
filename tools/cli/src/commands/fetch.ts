import { refuseLocks } from '#locks';
import type { CommandContext } from '../command.ts';
import { installPackages } from '../compose/engines.ts';
import { fetchImages } from '../compose/inputs.ts';
import { chooseOrigin } from '../compose/origin.ts';
import { lockStatuses, openProject, selection } from '../compose/plan.ts';
import { reportFetch } from '../report/fetch.ts';
import { sizeText } from '../report/text.ts';

export interface FetchFlags {
  readonly offline?: boolean;
}

/** `ccp fetch`: downloads every locked input into the cache, for offline builds. */
export async function fetchInputs(
  { root, output, flags }: CommandContext,
  names: readonly string[],
  { offline }: FetchFlags,
): Promise<number> {
  const project = openProject(root, flags.series);
  const images = selection(project, names);
  const refused = refuseLocks(lockStatuses(project), images);
  if (refused !== undefined) throw refused;
  const origin = await chooseOrigin(project, output.info);
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
}
