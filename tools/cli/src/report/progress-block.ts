import type { BuildEvent } from '#build';
import { coloured } from './colour.ts';
import { durationText, oneLine } from './text.ts';

export type Progress = Extract<BuildEvent, { type: 'progress' }>;

export interface BlockOptions {
  readonly columns: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly colour: boolean;
}

/** Maximum number of running images shown; the rest is counted. */
const SHOWN = 12;

/**
 * The lines that are redrawn: one for each running image, longest under way first, then done, total
 * and time left.
 */
export function progressBlock(
  { done, total, running, eta, at }: Progress,
  { columns, now, colour }: BlockOptions,
): readonly string[] {
  const faint = (text: string): string => (colour ? coloured(text, 'faint') : text);
  const bold = (text: string): string => (colour ? coloured(text, 'strong') : text);
  const shown = running.toSorted((a, b) => a.since - b.since).slice(0, SHOWN);
  const names = Math.max(0, ...shown.map(({ image }) => image.length));
  const steps = shown.map(({ image, step, since }) => {
    const time = durationText(Math.max(Math.floor((now - since) / 1000), 0)).padStart(11);
    return `${bold(image.padEnd(names))} ${time}  ${faint(oneLine(step, columns - names - 15))}`;
  });
  const more = running.length > SHOWN ? [`and ${running.length - SHOWN} more`] : [];
  const left = Math.max(eta - (now - at) / 1000, 0);
  const end =
    done === total || running.length === 0 ? '' : `, about ${durationText(Math.round(left))} left`;
  return [...steps, ...more, bold(`${done}/${total} images${end}`)];
}
