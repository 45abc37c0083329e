import type { TemplateFile } from './template-files.ts';

/** The literal parts of a template's line. */
interface LiteralLine {
  readonly line: number;
  readonly literals: readonly string[];
  /** Characters of all parts. */
  readonly length: number;
}

const PAIRS: ReadonlyMap<string, string> = new Map([
  ['{{', '}}'],
  ['{%', '%}'],
  ['{#', '#}'],
]);

/** Literal lines of templates that were searched before. */
const known = new WeakMap<TemplateFile, readonly LiteralLine[]>();

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
  for (const template of templates) {
    for (const { line, literals, length } of literalLines(template)) {
      if (length > most && length <= rendered.length && standInOrder(rendered, literals)) {
        best = { file: template.file, line };
        most = length;
      }
    }
  }
  return best;
}

function literalLines(template: TemplateFile): readonly LiteralLine[] {
  const found =
    known.get(template) ??
    template.text.split('\n').map((text, index) => {
      const literals = literalParts(text);
      const length = literals.reduce((sum, part) => sum + part.length, 0);
      return { line: index + 1, literals, length };
    });
  known.set(template, found);
  return found;
}

/** The trimmed texts between `{{ … }}`, `{% … %}` and `{# … #}`, in linear time. */
function literalParts(line: string): string[] {
  const parts: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (let at = line.indexOf('{'); at >= 0; at = line.indexOf('{', at)) {
    const close = PAIRS.get(line.slice(at, at + 2));
    const end = close === undefined || unclosed.has(close) ? -1 : line.indexOf(close, at + 2);
    if (close !== undefined && end < 0) unclosed.add(close);
    if (end < 0) {
      at += 1;
    } else {
      parts.push(line.slice(from, at));
      at = end + 2;
      from = at;
    }
  }
  parts.push(line.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
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
