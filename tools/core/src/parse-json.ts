import { messageOf } from './errors.ts';
import { escapeControls } from './escape-controls.ts';

/**
 * Parses JSON. Throws a `SyntaxError` with a message of one line, `it is not JSON (...)`, even if
 * it quotes the text.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`it is not JSON (${escapeControls(messageOf(cause))})`, { cause });
  }
}
