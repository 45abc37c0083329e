import { counted } from '#core';
import type { FetchEvent } from '#fetch';
import type { Output } from './output.ts';
import { sizeText } from './text.ts';

/** Reports the progress of a fetch: its size, retries, and damaged files in the cache. */
export function reportFetch(output: Pick<Output, 'info' | 'warn'>): (event: FetchEvent) => void {
  return (event) => {
    if (event.type === 'fetch-started' && event.files > 0)
      output.info(`fetching ${counted(event.files, 'input')}, ${sizeText(event.size)}`);
    if (event.type === 'fetch-retry')
      output.info(
        `${event.name}: ${event.reason}; trying again ${event.delayMs === 0 ? 'now' : `in ${event.delayMs} ms`}`,
      );
    if (event.type === 'fetch-corrupt')
      output.warn(
        `${event.name}: the cached bytes were damaged and ${event.offline ? 'were removed' : 'are fetched again'}`,
      );
  };
}
