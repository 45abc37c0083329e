import { escapeControls } from '#core';
import { fittingStart, textWidth } from './width.ts';

/** Seconds for people: `0.4 s`, `12 s`, `4 min 10 s`, `1 h 2 min`. */
export function durationText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/**
 * Bytes for people, in powers of ten as disks are sold and budgets are written: `75 MB`, `1.2 GB`.
 */
export function sizeText(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** A digest or version cut to 12 hex digits, with its prefix. */
export function shortened(text: string): string {
  return text.replace(/([0-9a-f]{12})[0-9a-f]{20,}$/, '$1');
}

const ESCAPE_SEQUENCE = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

/**
 * One line without colours and control characters; marks of the direction of writing are escaped,
 * blanks before it stay.
 */
export function cleanLine(text: string): string {
  const line = text
    .replaceAll(ESCAPE_SEQUENCE, '')
    .replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  return escapeControls(line).trimEnd();
}

/** As `cleanLine`, cut to `columns` of a terminal. */
export function oneLine(text: string, columns: number): string {
  const clean = cleanLine(text);
  return textWidth(clean) > columns ? `${fittingStart(clean, columns - 1)}…` : clean;
}

/** Escape codes that erase the lines drawn last, at the terminal's current width. */
export function eraseLines(lines: readonly string[], columns: number): string {
  const rows = lines.reduce(
    (sum, line) => sum + Math.max(1, Math.ceil(textWidth(cleanLine(line)) / columns)),
    0,
  );
  return rows === 0 ? '' : `\u001b[${rows}A\u001b[J`;
}

/** Bytes in whole megabytes. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
