import { counted } from '#core';

const OUTCOMES = ['ok', 'warning', 'failed'] as const;

/** The outcome of a check: `failed` where some command of ccp cannot work. */
export type CheckOutcome = (typeof OUTCOMES)[number];

/** One line of `ccp doctor`. */
export interface MachineFinding {
  readonly check: string;
  readonly outcome: CheckOutcome;
  readonly detail: string;
  /** How to fix it. */
  readonly hint?: string;
}

/** The findings as text: a line for each, its hint below, and the counts. */
export function doctorText(findings: readonly MachineFinding[]): string {
  const width = (key: 'check' | 'outcome'): number =>
    Math.max(...findings.map((finding) => finding[key].length));
  const [first, second] = [width('outcome'), width('check')];
  const lines = findings.flatMap(({ check, outcome, detail, hint }) => [
    `${outcome.padEnd(first)}  ${check.padEnd(second)}  ${detail}`,
    ...(hint === undefined ? [] : [`${' '.repeat(first + second + 4)}-> ${hint}`]),
  ]);
  const counts = OUTCOMES.map((outcome) => ({
    outcome,
    count: findings.filter((finding) => finding.outcome === outcome).length,
  })).filter(({ count }) => count > 0);
  const sum = counts.map(({ outcome, count }) => `${count} ${outcome}`).join(', ');
  return [...lines, '', `${counted(findings.length, 'check')}: ${sum}`].join('\n');
}
