import { messageOf, type CcpError } from './errors.ts';
import { isRecord } from './is-record.ts';
import { parseJson } from './parse-json.ts';

/** The errors of a document reader; each function receives the end of the sentence. */
export interface DocumentFaults {
  /** For an invalid document: `it is not JSON (...)`. */
  readonly invalid: (what: string, cause?: unknown) => CcpError;
  /** For a document of another format: `has format 2, this tool reads format 1`. */
  readonly otherFormat: (what: string) => CcpError;
  /** Known format numbers; only 1 by default. */
  readonly formats?: readonly number[];
}

/** Parses a JSON document of a known format. Throws the errors of `faults`. */
export function parseDocument(
  text: string,
  { invalid, otherFormat, formats = [1] }: DocumentFaults,
): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw invalid(messageOf(cause), cause);
  }
  if (!isRecord(value)) throw invalid('it is not an object');
  if (typeof value['format'] !== 'number') throw invalid('it has no format number');
  if (!formats.includes(value['format']))
    throw otherFormat(
      `has format ${value['format']}, this tool reads ${formats.length === 1 ? 'format' : 'formats'} ${formats.join(', ').replace(/, (?=\d+$)/, ' and ')}`,
    );
  return value;
}
