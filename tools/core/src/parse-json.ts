import { escapeControls, messageOf } from './errors.ts';

/** The value of a JSON text. Raises a `SyntaxError` of one line, `it is not JSON (...)`, whatever of the text it quotes. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`it is not JSON (${escapeControls(messageOf(cause))})`, { cause });
  }
}
