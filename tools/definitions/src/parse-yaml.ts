import { CcpError, throwFindings, type Position } from '#core';
import { checkSchema } from './check-schema.ts';
import { composeYaml, type YamlFinding } from './compose-yaml.ts';
import type { JsonSchema } from './json-schema.ts';
import { offsetOf, positionsIn, valueOf, type YamlPath } from './yaml-node.ts';

/** A YAML file that its schema allows. */
export interface ParsedYaml<T> {
  readonly value: T;
  /** Where a value stands: the value itself where it is a scalar, else its key; the nearest thing above what is not there. */
  position(path: YamlPath): Position;
}

/** Longest text that is read, in UTF-16 units; a lock of 500 packages has some 150,000. */
const MAX_LENGTH = 4 * 1024 * 1024;
const MAX_FINDINGS = 50;

/**
 * Reads YAML from anyone: one document of plain data, checked by `schema`; `T` is the type the schema describes. `file` is the
 * name for messages. Raises `yaml-invalid` with every finding of the pass (the first 50; `CcpErrors` where there are several),
 * each with file, line and column.
 */
export function parseYaml<T>(text: string, file: string, schema: JsonSchema): ParsedYaml<T> {
  if (text.length > MAX_LENGTH) {
    throw new CcpError({ code: 'yaml-invalid', message: `the file is longer than ${MAX_LENGTH} characters`, at: { file } });
  }
  const positionAt = positionsIn(text, file);
  const report = (findings: readonly YamlFinding[]): void => {
    const errors = findings.slice(0, MAX_FINDINGS).map(({ offset, ...finding }) => new CcpError({ code: 'yaml-invalid', ...finding, at: positionAt(offset) }));
    throwFindings(errors);
  };
  const { node, findings } = composeYaml(text);
  if (node === undefined || findings.length > 0) report(findings);
  report(checkSchema(node!, schema));
  return { value: valueOf(node!) as T, position: (path) => positionAt(offsetOf(node!, path)) };
}
