import { counted } from '#core';
import type { FetchEvent } from '#inputs';
import type { Output } from '../output.ts';
import { sizeText } from './text.ts';

/** Tells a fetch in lines: what is to come, retries, and damage found in the cache. */
export function tellFetch(output: Pick<Output, 'info' | 'warn'>): (event: FetchEvent) => void {
  return (event) => {
    if (event.type === 'fetch-started' && event.files > 0) output.info(`fetching ${counted(event.files, 'input')}, ${sizeText(event.size)}`);
    if (event.type === 'fetch-retry') output.info(`${event.name}: ${event.reason}; again ${event.delayMs === 0 ? 'now' : `in ${event.delayMs} ms`}`);
    if (event.type === 'fetch-corrupt') output.warn(`${event.name}: the cached bytes were damaged and ${event.offline ? 'were removed' : 'are fetched again'}`);
  };
}
