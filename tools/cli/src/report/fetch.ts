import { counted } from '#core';
import type { FetchEvent, SourceEvent } from '#fetch';
import { fetchProgress } from './fetch-progress.ts';
import type { Output } from './output.ts';
import type { Screen } from './screen.ts';
import { sourceProgress } from './source-progress.ts';
import { sizeText } from './text.ts';

/**
 * Reports a fetch of files and git sources: its size, retries, and damaged files in the cache; on a
 * terminal also a redrawn line with the progress.
 */
export function reportFetch(
  output: Pick<Output, 'info' | 'warn' | 'draw' | 'terminal'>,
  screen?: Screen,
): (event: FetchEvent | SourceEvent) => void {
  if (!output.terminal) return (event) => printEvent(event, output);
  const progress = fetchProgress(output, screen);
  const updateSources = sourceProgress(output, screen);
  return (event) => {
    if (isOfSources(event)) {
      printEvent(event, output);
      return updateSources(event);
    }
    if (isPrinted(event)) progress.above(() => printEvent(event, output));
    progress.update(event);
  };
}

function isOfSources(event: FetchEvent | SourceEvent): event is SourceEvent {
  return event.type.startsWith('source');
}

function isPrinted({ type }: FetchEvent): boolean {
  return type === 'fetch-started' || type === 'fetch-retry' || type === 'fetch-corrupt';
}

/** Prints the permanent line of an event, if it has one. */
function printEvent(event: FetchEvent | SourceEvent, output: Pick<Output, 'info' | 'warn'>): void {
  if (event.type === 'sources-started')
    output.info(`fetching ${counted(event.sources, 'git source')}`);
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
}
