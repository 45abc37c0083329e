import { counted } from '#core';
import type { BuildEvent, EmitBuildEvent, Outcome } from '#build';
import { failedImageLines, outcomeText } from './outcome-text.ts';
import type { Output } from './output.ts';
import { durationText, oneLine, shortened } from './text.ts';

/** Maximum length of a step's name or output line. */
const COLUMNS = 200;

/** Reports a build in lines, for logs and CI; urgent events are warnings, which `--quiet` keeps. */
export function plainReporter(output: Pick<Output, 'info' | 'warn' | 'verbose'>): EmitBuildEvent {
  return (event) => {
    const print = isUrgent(event) ? output.warn : output.info;
    for (const line of plainLines(event, output.verbose)) print(line);
  };
}

/** The lines of an event; `verbose` adds step output and reused images. */
export function plainLines(event: BuildEvent, verbose: boolean): readonly string[] {
  switch (event.type) {
    case 'run-started':
      return startLines(event);
    case 'image-started':
      return [`[${event.image}] started on ${event.engine}`];
    case 'step':
      return event.state === 'started' ? [`[${event.image}] ${oneLine(event.name, COLUMNS)}`] : [];
    case 'output':
      return verbose ? printedLines(event.text).map((line) => `[${event.image}]   ${line}`) : [];
    case 'retry':
      return [
        `[${event.image}] ${oneLine(event.fault.message, COLUMNS)}; trying again in ${durationText(event.waitMs / 1000)}`,
      ];
    case 'log-lost':
      return [
        `warning: the log of ${event.image} is incomplete: ${oneLine(event.message, COLUMNS)}`,
      ];
    case 'image-finished': {
      const { outcome } = event;
      if (outcome.type === 'reused' && !verbose) return [];
      return [
        `[${outcome.image}] ${outcomeText(outcome)}`,
        ...differenceLines(outcome),
        ...(outcome.type === 'failed' ? failedImageLines(outcome) : []),
      ];
    }
    case 'progress':
    case 'run-finished':
      return [];
  }
}

function printedLines(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => oneLine(line, COLUMNS));
}

/**
 * The first lines of a run: the number of images, the estimated time, and a warning for each image
 * with network access.
 */
function startLines({
  total,
  build,
  slots,
  estimate,
  criticalPath,
  unlocked,
}: Extract<BuildEvent, { type: 'run-started' }>): readonly string[] {
  if (build === 0) return [];
  const first = `building ${build} of ${counted(total, 'image')}, ${slots} at once: about ${durationText(estimate)}, longest chain ${durationText(criticalPath)}`;
  return [
    first,
    ...unlocked.map(
      (image) =>
        `warning: the steps of ${image} have a network, since its definition sets unlocked: true`,
    ),
  ];
}

/** Warns if an image differs from an earlier build of the same inputs. */
function differenceLines(outcome: Outcome): readonly string[] {
  if (!differs(outcome)) return [];
  const { image, before } = outcome;
  return [
    `warning: the bytes of ${image} differ from those stored before for the same inputs (${shortened(before!)}): a RUN uses time, random numbers or the order of files`,
  ];
}

function differs(outcome: Outcome): outcome is Extract<Outcome, { readonly type: 'built' }> {
  return outcome.type === 'built' && outcome.before !== undefined;
}

function isUrgent(event: BuildEvent): boolean {
  return (
    event.type === 'retry' ||
    event.type === 'log-lost' ||
    (event.type === 'image-finished' &&
      (event.outcome.type === 'failed' || differs(event.outcome))) ||
    (event.type === 'run-started' && event.unlocked.length > 0)
  );
}
