import { CcpError, throwFindings, type Position } from '#core';
import { checkSchema } from './check-schema.ts';
import { MAX_DEFINITION } from './definition-size.ts';
import { composeYaml, type YamlFinding } from './compose-yaml.ts';
import type { JsonSchema } from './json-schema.ts';
import { offsetOf, positionsIn, valueOf, type YamlPath } from './yaml-node.ts';

/** A YAML file that is valid by its schema. */
export interface ParsedYaml<T> {
  readonly value: T;
  /**
   * Position of a scalar, or of the key of a map or list; of the nearest existing parent if the
   * path does not exist.
   */
  position(path: YamlPath): Position;
}

const MAX_FINDINGS = 50;

/**
 * Parses untrusted YAML: one document of plain data, checked by `schema`; `T` is the type that the
 * schema describes. `file` is the name for messages, `longest` the maximum length in UTF-16 units.
 * Raises `yaml-invalid` with the first 50 findings, each with file, line and column.
 */
export function parseYaml<T>(
  text: string,
  file: string,
  schema: JsonSchema,
  longest: number = MAX_DEFINITION,
): ParsedYaml<T> {
  if (text.length > longest) {
    throw new CcpError({
      code: 'yaml-invalid',
      message: `the file is longer than ${longest} characters`,
      at: { file },
    });
  }
  const positionAt = positionsIn(text, file);
  const report = (findings: readonly YamlFinding[]): void => {
    const errors = findings
      .slice(0, MAX_FINDINGS)
      .map(
        ({ offset, ...finding }) =>
          new CcpError({ code: 'yaml-invalid', ...finding, at: positionAt(offset) }),
      );
    throwFindings(errors);
  };
  const { node, findings } = composeYaml(text);
  if (node === undefined || findings.length > 0) report(findings);
  report(checkSchema(node!, schema));
  return { value: valueOf(node!) as T, position: (path) => positionAt(offsetOf(node!, path)) };
}
