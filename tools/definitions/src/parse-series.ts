import { CcpError, series as seriesName, throwFindings, type Position } from '#core';
import { loadSchema } from './json-schema.ts';
import { parseYaml } from './parse-yaml.ts';
import type { DefinitionTexts } from './read-definition.ts';
import type { ConstraintOverride, ConstraintsOrigin, SeriesDefinition } from './types.ts';

/** A series with its constraints as the file names them, relative to it. */
export interface ParsedSeries {
  readonly definition: SeriesDefinition;
  readonly at: Position;
  readonly constraintsAt: Position;
}

interface SeriesFile {
  readonly series: Readonly<
    Record<string, Omit<SeriesDefinition, 'name' | 'overrides' | 'constraintsFrom'> & { readonly constraintsFrom?: Omit<ConstraintsOrigin, 'file'> } & { readonly overrides?: readonly Omit<ConstraintOverride, 'at'>[] }>
  >;
}

/** Reads images/series.yaml, series in the file's order. Raises `yaml-invalid` and `definition-invalid` with all findings. */
export function parseSeries([{ text, file }]: DefinitionTexts): readonly ParsedSeries[] {
  const schema = loadSchema(new URL('../schemas/series.schema.json', import.meta.url));
  const { value, position } = parseYaml<SeriesFile>(text, file, schema);
  const nowhere = Object.entries(value.series).filter(([, { constraints, constraintsFrom }]) => constraintsFrom !== undefined && constraints === undefined);
  throwFindings(
    nowhere.map(([name]) => {
      const message = `constraintsFrom of ${name} stands without constraints`;
      return new CcpError({ code: 'definition-invalid', message, hint: 'name the file that `ccp lock` writes', at: position(['series', name, 'constraintsFrom']) });
    }),
  );
  return Object.entries(value.series).map(([name, { overrides = [], constraintsFrom: from, ...facts }]) => ({
    definition: {
      ...facts,
      ...(from === undefined ? {} : { constraintsFrom: { ...from, file: facts.constraints ?? '' } }),
      name: seriesName(name),
      overrides: overrides.map((override, index) => ({ ...override, at: position(['series', name, 'overrides', index, 'requirement']) })),
    },
    at: position(['series', name]),
    constraintsAt: position(['series', name, 'constraints']),
  }));
}
