import { series as seriesName, type Position } from '#core';
import { loadSchema } from './json-schema.ts';
import { parseYaml } from './parse-yaml.ts';
import type { SeriesDefinition } from './types.ts';

/** A series with its constraints as the file names them, relative to it. */
export interface ParsedSeries {
  readonly definition: SeriesDefinition;
  readonly constraintsAt: Position;
}

interface SeriesFile {
  readonly series: Readonly<
    Record<string, Omit<SeriesDefinition, 'name' | 'overrides'> & Partial<Pick<SeriesDefinition, 'overrides'>>>
  >;
}

/** Reads images/series.yaml, series in the file's order. Raises `yaml-invalid` with all findings. */
export function parseSeries(text: string, file: string): readonly ParsedSeries[] {
  const schema = loadSchema(new URL('../schemas/series.schema.json', import.meta.url));
  const { value, position } = parseYaml<SeriesFile>(text, file, schema);
  return Object.entries(value.series).map(([name, facts]) => ({
    definition: { overrides: [], ...facts, name: seriesName(name) },
    constraintsAt: position(['series', name, 'constraints']),
  }));
}
