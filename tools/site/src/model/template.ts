/** Literal text, or the path of a reference. */
export type Piece = { readonly text: string } | { readonly reference: string };

const REFERENCE = /\$\$\{|\$\{([^{}]*)\}/g;

/** Texts without references, unescaped: `$${` becomes `${`. */
export function unescaped(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text.replaceAll('$${', '${')]),
  );
}

/**
 * Splits text at its `${reference}`s; `$${` is an escaped `${`. References are looked up and never
 * evaluated.
 */
export function parseTemplate(text: string): Piece[] {
  const pieces: Piece[] = [];
  let plain = '';
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    plain += text.slice(end, match.index);
    end = match.index + match[0].length;
    if (match[1] === undefined) {
      plain += '${';
      continue;
    }
    if (plain !== '') pieces.push({ text: plain });
    plain = '';
    pieces.push({ reference: match[1].trim() });
  }
  plain += text.slice(end);
  if (plain !== '' || pieces.length === 0) pieces.push({ text: plain });
  return pieces;
}
