import type { Command, Help, HelpConfiguration } from 'commander';
import { textWidth } from './width.ts';
import { wrapLine, wrapText } from './wrap.ts';

/** Width of help that is not printed on a terminal. */
const COLUMNS = 80;
/** Blanks before an item and between its term and its description. */
const GAP = 2;
const INDENT = ' '.repeat(GAP);

/**
 * Wraps help by words at every width. Commander leaves descriptions whole if their column gets
 * narrow, so a term longer than the left half has a row of its own here.
 */
export const HELP_LAYOUT: HelpConfiguration = {
  showGlobalOptions: true,
  minWidthToWrap: 1,
  padWidth(this: Help, command: Command, helper: Help): number {
    const longest = Math.max(
      helper.longestOptionTermLength(command, helper),
      helper.longestGlobalOptionTermLength(command, helper),
      helper.longestSubcommandTermLength(command, helper),
      helper.longestArgumentTermLength(command, helper),
    );
    return Math.min(longest, Math.floor(widthOf(helper) / 2) - 2 * GAP);
  },
  formatItem(term: string, width: number, description: string, helper: Help): string {
    const start = width + 2 * GAP;
    const rows = wrapLine(description, {
      columns: widthOf(helper) - start,
      indent: 0,
      wholeWords: true,
    }).map((row) => `${' '.repeat(start)}${row}`);
    if (textWidth(term) > width) return [`${INDENT}${term}`, ...rows].join('\n').trimEnd();
    return `${INDENT}${term.padEnd(width)}${INDENT}${rows.join('\n').slice(start)}`.trimEnd();
  },
  styleUsage(this: Help, usage: string): string {
    const label = 'Usage: '.length;
    const options = { columns: widthOf(this) - label, indent: label + GAP, wholeWords: true };
    return wrapLine(usage, options).join('\n');
  },
};

function widthOf({ helpWidth = COLUMNS }: Help): number {
  return helpWidth;
}

/** Width of the help of a command, as commander determines it. */
export function helpColumns(command: Command): number {
  return command.configureOutput().getOutHelpWidth?.() ?? COLUMNS;
}

/** Examples as help prints them: a shell reads a wrapped one as one command. */
export function examplesText(examples: readonly string[], columns: number): string {
  const rows = examples.map((example) => {
    const options = { columns: columns - 2 * GAP, indent: 2 * GAP, wholeWords: true };
    return `${INDENT}${wrapLine(example, options).join(' \\\n')}`;
  });
  return `\nExamples:\n${rows.join('\n')}`;
}

/** A table of help below its heading. */
export function tableText(heading: string, table: string, columns: number): string {
  return `\n${heading}:\n${wrapText(table, columns)}`;
}
