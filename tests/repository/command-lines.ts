import { fencedBlocks, indentedBlocks, inlineCode, type Code } from './doc-pages.ts';

const SHELL = new Set(['', 'sh', 'bash', 'console']);

/**
 * A line that calls the program, npm or a script in ci/; within a sentence it may have no
 * arguments.
 */
export interface CommandLine extends Code {
  readonly isMention: boolean;
}

/** Lines of a page's shell blocks and its inline code that call a program of the repository. */
export function commandLines(page: string): readonly CommandLine[] {
  const blocks = fencedBlocks(page).filter(({ language }) => SHELL.has(language));
  const lines = blocks.flatMap(({ line, language, text }) =>
    text
      .replaceAll(/\\\n/g, '  ')
      .split('\n')
      .map((each, index) => ({ line: line + index, language, text: each.replace(/^\$ /, '') })),
  );
  return [
    ...[...lines, ...indentedBlocks(page)].map((each) => ({ ...each, isMention: false })),
    ...inlineCode(page).map((each) => ({ ...each, isMention: true })),
  ].filter(({ text }) =>
    /^(?:[A-Z_]+=\S* )*(?:(?:\.\/)?ccp|npm run|(?:\.\/)?ci\/\S+)(?: |$)/.test(text),
  );
}
