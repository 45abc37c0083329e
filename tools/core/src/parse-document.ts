import { messageOf, type CcpError } from './errors.ts';
import { isRecord } from './is-record.ts';
import { parseJson } from './parse-json.ts';

/** The errors of a reader of documents; each gets what is wrong, as the end of a sentence. */
export interface DocumentFaults {
  /** For what is no such document: `it is not JSON (...)`. */
  readonly invalid: (what: string, cause?: unknown) => CcpError;
  /** For a document of another format: `has format 2, this tool reads format 1`. */
  readonly otherFormat: (what: string) => CcpError;
}

/** The members of a JSON document whose `format` is 1, the one that every kind of document has so far. Raises the errors of `faults`. */
export function parseDocument(text: string, { invalid, otherFormat }: DocumentFaults): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw invalid(messageOf(cause), cause);
  }
  if (!isRecord(value)) throw invalid('it is not an object');
  if (typeof value['format'] !== 'number') throw invalid('it has no format number');
  if (value['format'] !== 1) throw otherFormat(`has format ${value['format']}, this tool reads format 1`);
  return value;
}
