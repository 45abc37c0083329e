import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One code block or inline code of a page, and the line that it starts on. */
export interface Code {
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** Paths of all Markdown pages of the repository. */
export function pagesOf(root: string): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .sort();
}

/** Fenced blocks of a page, also those inside lists, without their indentation. */
export function fencedBlocks(page: string): readonly Code[] {
  const found: Code[] = [];
  const lines = page.split('\n');
  for (let index = 0; index < lines.length; index++) {
    const opening = /^( *)```(\w*)/.exec(lines[index] as string);
    if (opening === null) continue;
    const [, indent = '', language = ''] = opening;
    const start = index + 1;
    for (index++; index < lines.length && !(lines[index] as string).startsWith(`${indent}\`\`\``);)
      index++;
    const text = lines.slice(start, index).map((line) => line.slice(indent.length));
    found.push({ line: start + 1, language, text: text.join('\n') });
  }
  return found;
}

/**
 * Indented blocks of a page: lines of four blanks after an empty line, outside lists and fences.
 */
export function indentedBlocks(page: string): readonly Code[] {
  const lines = withoutFences(page).split('\n');
  return lines.flatMap((line, index) =>
    /^ {4}\S/.test(line) && isAfterEmptyLine(lines, index)
      ? [{ line: index + 1, language: '', text: line.trim() }]
      : [],
  );
}

/** Inline code of a page. */
export function inlineCode(page: string): readonly Code[] {
  return withoutFences(page)
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/`([^`]+)`/g)].map(([, text]) => ({
        line: index + 1,
        language: '',
        text: text as string,
      })),
    );
}

/** The ids of a page's headings on GitHub and GitLab. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...withoutFences(page).matchAll(/^#{1,6} +(.+?) *$/gm)];
  return new Set(
    headings.map(([, text]) =>
      (text as string)
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Targets of the links of a page, with their lines. */
export function linksOf(page: string): readonly { readonly line: number; readonly to: string }[] {
  return withoutFences(page)
    .split('\n')
    .flatMap((line, index) =>
      [...line.replaceAll(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => ({
        line: index + 1,
        to: to as string,
      })),
    );
}

export function readPage(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function isAfterEmptyLine(lines: readonly string[], index: number): boolean {
  const before = lines[index - 1] ?? '';
  return before === '' || (/^ {4}/.test(before) && isAfterEmptyLine(lines, index - 1));
}

/** The page with empty lines instead of fenced blocks, so that line numbers stay. */
function withoutFences(page: string): string {
  return page.replaceAll(/^( *)```[\s\S]*?^\1```/gm, (block) => block.replaceAll(/.*/g, ''));
}
