import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../program.ts';
import { helpDocument, type HelpDocument } from './help-document.ts';
import { examplesText } from './help-layout.ts';
import { pathOf } from './help-words.ts';
import { textWidth } from './width.ts';

const program = await createProgram(
  fileURLToPath(new URL('../../../..', import.meta.url)),
  () => undefined,
);

const withAll = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(withAll),
];
const leaves = (command: HelpDocument): readonly HelpDocument[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

/** The whole help of a command on a terminal with this width. */
function helpText(command: Command, columns: number): string {
  let text = '';
  command.configureOutput({
    getOutHelpWidth: () => columns,
    writeOut: (written) => void (text += written),
  });
  command.outputHelp();
  return text;
}

/** Whether a row is too wide although a word of it could be on the next row. */
function isTooWide(row: string, columns: number): boolean {
  return textWidth(row) > columns && row.trim().includes(' ');
}

describe.each([60, 80])('the help of every command at %d columns', (columns) => {
  it.each(withAll(program).map((command) => [pathOf(command), command] as const))(
    'fits for %s',
    (_, command) => {
      const rows = helpText(command, columns).split('\n');
      expect(rows.length).toBeGreaterThan(5);
      expect(rows.filter((row) => isTooWide(row, columns))).toEqual([]);
    },
  );
});

describe('the help of every command without commands below it', () => {
  it.each(leaves(helpDocument(program)).map((each) => [each.command, each] as const))(
    'has an example of %s that starts with its name',
    (path, { examples }) => {
      expect(examples.filter((example) => example.includes(path))).not.toEqual([]);
    },
  );
});

describe('a command with a long name', () => {
  it('has its description below it', () => {
    const deploy = program.commands.find((command) => command.name() === 'deploy') as Command;
    expect(helpText(deploy, 60)).toContain(
      [
        '  scale [options] <site> <workloads...>',
        '                              set replicas in site.yaml',
        '                              (APP.WORKLOAD=NUMBER) and',
        '                              apply the site',
      ].join('\n'),
    );
  });
});

describe('examplesText', () => {
  it('continues a long example as a shell reads it', () => {
    expect(examplesText(['ccp verify 2026.1.0 --from registry.example.org/ccp'], 40)).toBe(
      '\nExamples:\n  ccp verify 2026.1.0 --from \\\n    registry.example.org/ccp',
    );
  });
});
