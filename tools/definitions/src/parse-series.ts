import {
  CcpError,
  imageName,
  omitUndefined,
  series as seriesName,
  throwFindings,
  type Position,
} from '#core';
import { loadSchema } from './json-schema.ts';
import { parseYaml } from './parse-yaml.ts';
import type { DefinitionTexts } from './read-definition.ts';
import type {
  ConstraintOverride,
  ConstraintsOrigin,
  SeriesDefinition,
  SeriesImage,
} from './types.ts';
import type { YamlPath } from './yaml-node.ts';
import { refuseWindowsLines } from './windows-lines.ts';

/** A series whose constraints path is still relative to its file. */
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

/** The changes that an overlay can make to a series of a lower layer. */
export interface SeriesChanges {
  readonly overrides?: readonly Omit<ConstraintOverride, 'at'>[];
  readonly images?: readonly string[];
}

/** The overrides and images with their positions; `path` is the path of the series in its file. */
export function locateChanges(
  { overrides = [], images }: SeriesChanges,
  path: YamlPath,
  position: (path: YamlPath) => Position,
): Pick<SeriesDefinition, 'overrides' | 'images'> {
  return {
    overrides: overrides.map((override, index) => ({
      ...override,
      at: position([...path, 'overrides', index, 'requirement']),
    })),
    ...(images === undefined
      ? {}
      : {
          images: images.map((name, index): SeriesImage => ({
            name: imageName(name),
            at: position([...path, 'images', index]),
          })),
        }),
  };
}

/**
 * Reads images/series.yaml, series in the file's order. Raises `yaml-invalid` and
 * `definition-invalid` with all findings.
 */
export function parseSeries([{ text, file }]: DefinitionTexts): readonly ParsedSeries[] {
  refuseWindowsLines({ text, file });
  const schema = loadSchema(new URL('../schemas/series.schema.json', import.meta.url));
  const { value, position } = parseYaml<SeriesFile>(text, file, schema);
  const nowhere = Object.entries(value.series).filter(
    ([, { constraints, constraintsFrom }]) =>
      constraintsFrom !== undefined && constraints === undefined,
  );
  throwFindings(
    nowhere.map(([name]) => {
      const message = `constraintsFrom of ${name} requires constraints`;
      return new CcpError({
        code: 'definition-invalid',
        message,
        hint: 'set constraints to the file that `ccp lock` writes',
        at: position(['series', name, 'constraintsFrom']),
      });
    }),
  );
  return Object.entries(value.series).map(
    ([name, { overrides, images, constraintsFrom: from, ...facts }]) => ({
      definition: {
        ...facts,
        ...(from === undefined
          ? {}
          : { constraintsFrom: { ...from, file: facts.constraints ?? '' } }),
        name: seriesName(name),
        ...locateChanges(
          {
            ...omitUndefined({ overrides }),
            ...omitUndefined({ images }),
          },
          ['series', name],
          position,
        ),
        positions: {
          suite: position(['series', name, 'suite']),
          python: position(['series', name, 'python']),
        },
      },
      at: position(['series', name]),
      constraintsAt: position(['series', name, 'constraints']),
    }),
  );
}
