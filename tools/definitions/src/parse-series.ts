import { series as seriesName, type Position } from '#core';
import { loadSchema } from './json-schema.ts';
import { parseYaml } from './parse-yaml.ts';
import type { DefinitionTexts } from './read-definition.ts';
import type { ConstraintOverride, SeriesDefinition } from './types.ts';

/** A series with its constraints as the file names them, relative to it. */
export interface ParsedSeries {
  readonly definition: SeriesDefinition;
  readonly at: Position;
  readonly constraintsAt: Position;
}

interface SeriesFile {
  readonly series: Readonly<
    Record<string, Omit<SeriesDefinition, 'name' | 'overrides'> & { readonly overrides?: readonly Omit<ConstraintOverride, 'at'>[] }>
  >;
}

/** Reads images/series.yaml, series in the file's order. Raises `yaml-invalid` with all findings. */
export function parseSeries([{ text, file }]: DefinitionTexts): readonly ParsedSeries[] {
  const schema = loadSchema(new URL('../schemas/series.schema.json', import.meta.url));
  const { value, position } = parseYaml<SeriesFile>(text, file, schema);
  return Object.entries(value.series).map(([name, { overrides = [], ...facts }]) => ({
    definition: {
      ...facts,
      name: seriesName(name),
      overrides: overrides.map((override, index) => ({ ...override, at: position(['series', name, 'overrides', index, 'requirement']) })),
    },
    at: position(['series', name]),
    constraintsAt: position(['series', name, 'constraints']),
  }));
}
