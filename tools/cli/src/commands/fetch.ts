import { fetchImages } from '../compose-inputs.ts';
import { lockStatuses, openProject, selection } from '../compose.ts';
import { refuseLocks } from '#locks';
import { chooseOrigin } from '../origin.ts';
import type { CommandContext } from '../program.ts';

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
    events: (event) => {
      if (event.type === 'fetch-started' && event.files > 0) output.info(`fetching ${event.files} inputs, ${megabytes(event.size)}`);
      if (event.type === 'fetch-retry') output.info(`${event.name}: ${event.reason}; again in ${event.delayMs} ms`);
      if (event.type === 'fetch-corrupt') output.warn(`${event.name}: the cached bytes were damaged and are fetched again`);
    },
  });
  output.result(`${report.reused} inputs were there, ${report.fetched} came (${megabytes(report.received)})`, report);
  return 0;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
