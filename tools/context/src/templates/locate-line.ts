import type { TemplateFile } from './template-files.ts';

/** Longer lines are skipped: finding their literal parts takes quadratic time. */
const LONGEST = 4_000;

/**
 * The template line that most likely produced a rendered line: the line with the most literal text
 * among those whose literal parts all occur in it, in order. Undefined if no line matches.
 */
export function locateLine(
  rendered: string,
  templates: readonly TemplateFile[],
): { readonly file: string; readonly line: number } | undefined {
  let best: { file: string; line: number } | undefined;
  let most = 0;
  for (const { file, text } of templates) {
    text.split('\n').forEach((line, index) => {
      if (line.length > LONGEST) return;
      const literals = line
        .split(/\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}/)
        .map((part) => part.trim())
        .filter((part) => part !== '');
      const length = literals.reduce((sum, part) => sum + part.length, 0);
      if (length > most && standInOrder(rendered, literals)) {
        best = { file, line: index + 1 };
        most = length;
      }
    });
  }
  return best;
}

function standInOrder(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
