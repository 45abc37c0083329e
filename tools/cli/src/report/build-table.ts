import { counted } from '#core';
import type { BuildFault, BuildResult, Outcome } from '#build';
import { failureDetails } from './outcome-text.ts';
import { setChangeLines, type SetChange } from './set-change.ts';
import { durationText, shortened, sizeText } from './text.ts';

/** Input of the build table. */
export interface TableInput {
  readonly result: BuildResult;
  /** Log folder, as printed. */
  readonly logs: string;
  /** Path of the image set's manifest; absent if the run was cancelled. */
  readonly imageSet?: string;
  readonly set?: SetChange;
  /** Why no set was written, if the run was not cancelled. */
  readonly setFault?: BuildFault;
}

const HEADS = ['IMAGE', 'VERSION', 'OUTCOME', 'DIGEST', 'SIZE', 'TIME'] as const;
/** Columns of numbers. */
const RIGHT: ReadonlySet<string> = new Set(['SIZE', 'TIME']);

/**
 * The result of a build as text: a line for each image, the counts, the failures, and the paths of
 * logs and set.
 */
export function buildTable({ result, logs, imageSet, set, setFault }: TableInput): string {
  const rows = [HEADS, ...result.outcomes.map(rowOf)];
  const widths = HEADS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        RIGHT.has(HEADS[column]!) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
  const logged = result.outcomes.some((outcome) => 'log' in outcome);
  return [
    ...lines,
    '',
    `${counted(result.outcomes.length, 'image')} in ${durationText(result.seconds)}: ${countsOf(result.outcomes)}`,
    ...result.outcomes
      .filter((outcome) => outcome.type === 'failed')
      .flatMap((outcome) => [
        `${outcome.image}: ${outcome.fault.message.split('\n', 1)[0]}`,
        ...failureDetails(outcome),
      ]),
    ...(logged ? [`logs: ${logs}`] : []),
    ...(imageSet === undefined || set === undefined
      ? unchangedSet(setFault)
      : [`image set: ${imageSet} (${counted(set.images, 'image')})`, ...setChangeLines(set)]),
  ].join('\n');
}

function unchangedSet(fault: BuildFault | undefined): readonly string[] {
  if (fault === undefined) return ['the image set was not changed'];
  return [
    `the image set was not changed: ${fault.message}`,
    ...(fault.hint === undefined ? [] : [`  -> ${fault.hint}`]),
  ];
}

function rowOf(outcome: Outcome): readonly string[] {
  const stored =
    'stored' in outcome
      ? [shortened(outcome.stored.digest), sizeText(outcome.stored.size)]
      : ['-', '-'];
  const time =
    'seconds' in outcome && outcome.seconds !== undefined ? durationText(outcome.seconds) : '-';
  const became = outcome.type === 'blocked' ? `blocked by ${outcome.by.join(', ')}` : outcome.type;
  return [outcome.image, shortened(outcome.version), became, ...stored, time];
}

function countsOf(outcomes: readonly Outcome[]): string {
  const counts = new Map<string, number>();
  for (const { type } of outcomes) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => `${count} ${type}`).join(', ');
}
