import type { Output } from './output.ts';
import type { Screen } from './screen.ts';
import { eraseLines, oneLine } from './text.ts';

/** A line on a terminal that is redrawn in its place. */
export interface RedrawnLine {
  draw(text: string): void;
  clear(): void;
}

export function redrawnLine(output: Pick<Output, 'draw'>, screen: Screen): RedrawnLine {
  let drawn: readonly string[] = [];
  return {
    draw: (text) => {
      const line = oneLine(text, screen.columns - 1);
      output.draw(`${eraseLines(drawn, screen.columns)}${line}\n`);
      drawn = [line];
    },
    clear: () => {
      if (drawn.length > 0) output.draw(eraseLines(drawn, screen.columns));
      drawn = [];
    },
  };
}
