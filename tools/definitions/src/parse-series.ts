import { CcpError, imageName, series as seriesName, throwFindings, type Position } from '#core';
import { loadSchema } from './json-schema.ts';
import { parseYaml } from './parse-yaml.ts';
import type { DefinitionTexts } from './read-definition.ts';
import type { ConstraintOverride, ConstraintsOrigin, SeriesDefinition, SeriesImage } from './types.ts';
import type { YamlPath } from './yaml-node.ts';

/** A series with its constraints as the file names them, relative to it. */
export interface ParsedSeries {
  readonly definition: SeriesDefinition;
  readonly at: Position;
  readonly constraintsAt: Position;
}

interface SeriesFile {
  readonly series: Readonly<
    Record<
      string,
      Omit<SeriesDefinition, 'name' | 'overrides' | 'images' | 'constraintsFrom' | 'positions'> &
        SeriesChanges & { readonly constraintsFrom?: Omit<ConstraintsOrigin, 'file'> }
    >
  >;
}

/** What a file may say of a series that a lower layer defines. */
export interface SeriesChanges {
  readonly overrides?: readonly Omit<ConstraintOverride, 'at'>[];
  readonly images?: readonly string[];
}

/** The overrides and images with where they stand; `path` leads to the series in its file. */
export function locateChanges(
  { overrides = [], images }: SeriesChanges,
  path: YamlPath,
  position: (path: YamlPath) => Position,
): Pick<SeriesDefinition, 'overrides' | 'images'> {
  return {
    overrides: overrides.map((override, index) => ({ ...override, at: position([...path, 'overrides', index, 'requirement']) })),
    ...(images === undefined
      ? {}
      : { images: images.map((name, index): SeriesImage => ({ name: imageName(name), at: position([...path, 'images', index]) })) }),
  };
}

/** Reads images/series.yaml, series in the file's order. Raises `yaml-invalid` and `definition-invalid` with all findings. */
export function parseSeries([{ text, file }]: DefinitionTexts): readonly ParsedSeries[] {
  const schema = loadSchema(new URL('../schemas/series.schema.json', import.meta.url));
  const { value, position } = parseYaml<SeriesFile>(text, file, schema);
  const nowhere = Object.entries(value.series).filter(([, { constraints, constraintsFrom }]) => constraintsFrom !== undefined && constraints === undefined);
  throwFindings(
    nowhere.map(([name]) => {
      const message = `constraintsFrom of ${name} stands without constraints`;
      return new CcpError({
        code: 'definition-invalid',
        message,
        hint: 'name the file that `ccp lock` writes',
        at: position(['series', name, 'constraintsFrom']),
      });
    }),
  );
  return Object.entries(value.series).map(([name, { overrides, images, constraintsFrom: from, ...facts }]) => ({
    definition: {
      ...facts,
      ...(from === undefined ? {} : { constraintsFrom: { ...from, file: facts.constraints ?? '' } }),
      name: seriesName(name),
      ...locateChanges({ ...(overrides === undefined ? {} : { overrides }), ...(images === undefined ? {} : { images }) }, ['series', name], position),
      positions: { suite: position(['series', name, 'suite']), python: position(['series', name, 'python']) },
    },
    at: position(['series', name]),
    constraintsAt: position(['series', name, 'constraints']),
  }));
}
