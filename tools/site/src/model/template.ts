/** Text as it stands, or the path of a reference. */
export type Piece = { readonly text: string } | { readonly reference: string };

const REFERENCE = /\$\$\{|\$\{([^{}]*)\}/g;

/** Texts that hold no reference, as they are meant: `$${` is a plain `${`. */
export function unescaped(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, text.replaceAll('$${', '${')]),
  );
}

/** Splits text at its `${reference}`s; `$${` stands for a plain `${`. Nothing in a reference is evaluated: it is looked up. */
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
