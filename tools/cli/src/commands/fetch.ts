import { installPackages } from '../compose-engines.ts';
import { fetchImages } from '../compose-inputs.ts';
import { lockStatuses, openProject, selection } from '../compose.ts';
import { refuseLocks } from '#locks';
import { chooseOrigin } from '../origin.ts';
import type { CommandContext } from '../program.ts';
import { tellFetch } from '../reporters/fetch.ts';
import { sizeText } from '../reporters/text.ts';

export interface FetchFlags {
  readonly offline?: boolean;
}

/** `ccp fetch`: fills the cache with every locked input, so that a later build can be offline. */
export async function fetchInputs({ root, output, flags }: CommandContext, names: readonly string[], { offline }: FetchFlags): Promise<number> {
  const project = openProject(root, flags.series);
  const images = selection(project, names);
  const refused = refuseLocks(lockStatuses(project), images);
  if (refused !== undefined) throw refused;
  const origin = await chooseOrigin(project, output.info);
  const report = await fetchImages(project, images, {
    origin,
    offline: offline === true,
    installPackages: (names) => installPackages(names, output, flags.yes === true),
    events: tellFetch(output),
  });
  output.result(`${report.reused} inputs were there, ${report.fetched} came (${sizeText(report.received)})`, report);
  return 0;
}
