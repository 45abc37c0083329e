import type { ColourLine } from './colour.ts';
import { cleanLine } from './text.ts';
import { wrapLine } from './wrap.ts';

/** The terminal functions in use; tests pass a fake. */
export interface Tty {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

/** A screen that shows one text at a time on a terminal. */
export interface LiveScreen {
  /**
   * Shows lines and redraws them when the terminal is resized; `brief` is shown if `lines` do not
   * fit. If `brief` does not fit either, lines before the last are cut.
   */
  show(lines: readonly string[], brief: readonly string[]): void;
  /** Restores the terminal. */
  close(): void;
}

const [ENTER, LEAVE] = ['\u001b[?1049h\u001b[?25l', '\u001b[?25h\u001b[?1049l'];
const [HOME, REST_OF_LINE, REST_OF_SCREEN] = ['\u001b[H', '\u001b[K', '\u001b[J'];
/** Indentation of wrapped lines. */
const INDENT = 8;

/**
 * Uses the terminal's alternate screen, like a pager, and restores the normal one on close or exit.
 * `colour` colours each row.
 */
export function liveScreen(tty: Tty, colour: ColourLine = (line) => line): LiveScreen {
  let shown: readonly [readonly string[], readonly string[]] = [[], []];
  const draw = (): void => {
    const { columns = 80, rows = 24 } = tty;
    const lines = fitted(shown, columns, rows).map((line) => `${colour(line)}${REST_OF_LINE}`);
    tty.write(`${HOME}${lines.join('\r\n')}${REST_OF_SCREEN}`);
  };
  const leave = (): void => void tty.write(LEAVE);
  tty.write(ENTER);
  tty.on('resize', draw);
  process.on('exit', leave);
  return {
    show: (...texts) => {
      shown = texts;
      draw();
    },
    close: () => {
      tty.off('resize', draw);
      process.off('exit', leave);
      leave();
    },
  };
}

/** The rows of a text that fit on the terminal. */
function fitted(
  [lines, brief]: readonly [readonly string[], readonly string[]],
  columns: number,
  rows: number,
): readonly string[] {
  const [whole, short] = [lines, brief].map((each) =>
    each.flatMap((line) => wrapLine(cleanLine(line), { columns, indent: INDENT })),
  );
  if (whole!.length <= rows) return whole!;
  if (short!.length <= rows) return short!;
  const first = short!.slice(0, Math.max(0, rows - 2));
  return [
    ...first,
    `  … and ${short!.length - 1 - first.length} lines more`.slice(0, columns),
    short!.at(-1)!,
  ].slice(-rows);
}
