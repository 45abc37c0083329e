import type { TemplateFile } from './template-files.ts';

/**
 * The template line that a rendered line most likely came from: of those whose literal parts all stand in it, in order, the one
 * with most literal text. Undefined where no line fits.
 */
export function locateLine(rendered: string, templates: readonly TemplateFile[]): { readonly file: string; readonly line: number } | undefined {
  let best: { file: string; line: number } | undefined;
  let most = 0;
  for (const { file, text } of templates) {
    text.split('\n').forEach((line, index) => {
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

/** The first template line that holds a text. */
export function locateText(part: string, templates: readonly TemplateFile[]): { readonly file: string; readonly line: number } | undefined {
  for (const { file, text } of templates) {
    const line = part === '' ? -1 : text.split('\n').findIndex((candidate) => candidate.includes(part));
    if (line >= 0) return { file, line: line + 1 };
  }
  return undefined;
}
