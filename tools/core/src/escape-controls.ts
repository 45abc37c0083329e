/**
 * Characters that control a terminal or an editor instead of being shown: C0, DEL and C1 controls,
 * bidirectional marks and overrides, line and paragraph separators, and lone surrogates.
 */
const CONTROLS =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
/** `CONTROLS` without tab and line feed. */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/gu;
const SHORT: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

/**
 * Escapes, as JSON does, all characters of `CONTROLS`, so that an untrusted text stays on one line.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROLS, escaped);
}

/** `escapeControls` for a text that can contain line feeds and tabs. */
export function escapeUnsafe(text: string): string {
  return text.replaceAll(UNSAFE, escaped);
}

function escaped(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
