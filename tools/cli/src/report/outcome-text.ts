import type { Outcome } from '#build';
import { isMachineFault } from './exit-codes.ts';
import { durationText, shortened, sizeText } from './text.ts';

/** The outcome of an image in one clause. */
export function outcomeText(outcome: Outcome): string {
  switch (outcome.type) {
    case 'built':
      return `built in ${durationText(outcome.seconds)}: ${shortened(outcome.stored.digest)}, ${sizeText(outcome.stored.size)}`;
    case 'reused':
      return `reused: ${shortened(outcome.stored.digest)}`;
    case 'aliased':
      return `aliased, since its parents have the same bytes as before: ${shortened(outcome.stored.digest)}`;
    case 'failed':
      return `failed${outcome.seconds === undefined ? '' : ` after ${durationText(outcome.seconds)}`}: ${outcome.fault.message.split('\n', 1)[0]}`;
    case 'blocked':
      return `blocked by ${outcome.by.join(', ')}`;
    case 'cancelled':
      return 'cancelled';
  }
}

/** Maximum number of cause lines in a summary. */
const SUMMARY_LINES = 8;

/** Details of a failure for a summary: the end of its findings or output, and the hint. */
export function failureDetails(outcome: Extract<Outcome, { type: 'failed' }>): readonly string[] {
  const lines = causeOf(outcome);
  const more = lines.length - SUMMARY_LINES;
  return [
    ...(more > 0 ? [`  (${more} lines more in the log)`] : []),
    ...lines.slice(-SUMMARY_LINES),
    ...hintOf(outcome),
  ];
}

/** Details of a failed image: the rest of the message or the last output, the hint and the log. */
export function failedImageLines(outcome: Extract<Outcome, { type: 'failed' }>): readonly string[] {
  return [
    ...causeOf(outcome),
    ...hintOf(outcome),
    ...(outcome.log === undefined ? [] : [`  log: ${outcome.log}`]),
  ];
}

function causeOf({ fault, lastLines }: Extract<Outcome, { type: 'failed' }>): readonly string[] {
  const [, ...rest] = fault.message.split('\n');
  // The last output of a step does not explain a lost engine.
  const lines = rest.length > 0 || isMachineFault(fault.code) ? rest : lastLines;
  return lines.map((line) => `  ${line}`);
}

function hintOf({ fault }: Extract<Outcome, { type: 'failed' }>): readonly string[] {
  return fault.hint === undefined ? [] : [`  -> ${fault.hint}`];
}
