import { messageOf } from './errors.ts';
import { escapeControls } from './escape-controls.ts';

/** More levels than any document that this tool reads; recursive code handles as many. */
const MAX_LEVELS = 256;

/**
 * Parses JSON. Throws a `SyntaxError` with a message of one line, `it is not JSON (...)`, even if
 * it quotes the text, and for lists and objects nested deeper than 256 levels.
 */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`it is not JSON (${escapeControls(messageOf(cause))})`, { cause });
  }
  if (isDeep(text))
    throw new SyntaxError(`it has lists or objects nested deeper than ${MAX_LEVELS} levels`);
  return value;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\[]{}'].map(
  (each) => each.charCodeAt(0),
);

/** True if valid JSON has more than `MAX_LEVELS` levels. */
function isDeep(text: string): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) level += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) level -= 1;
    if (level > MAX_LEVELS) return true;
  }
  return false;
}

/** The position of the quote that ends the string starting at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
