import { messageOf, type CcpError } from './errors.ts';
import { isRecord } from './is-record.ts';
import { parseJson } from './parse-json.ts';

/** The errors of a document reader; each function receives the end of the sentence. */
export interface DocumentFaults {
  /** For an invalid document: `it is not JSON (...)`. */
  readonly invalid: (what: string, cause?: unknown) => CcpError;
  /** For a document of another format: `has format 2, this tool reads format 1`. */
  readonly otherFormat: (what: string) => CcpError;
}

/**
 * Parses a JSON document of format 1, the only format of all kinds of documents so far. Throws the
 * errors of `faults`.
 */
export function parseDocument(
  text: string,
  { invalid, otherFormat }: DocumentFaults,
): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw invalid(messageOf(cause), cause);
  }
  if (!isRecord(value)) throw invalid('it is not an object');
  if (typeof value['format'] !== 'number') throw invalid('it has no format number');
  if (value['format'] !== 1)
    throw otherFormat(`has format ${value['format']}, this tool reads format 1`);
  return value;
}
