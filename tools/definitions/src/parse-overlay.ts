import type { Position } from '#core';
import { loadSchema } from './json-schema.ts';
import { parseYaml } from './parse-yaml.ts';
import type { DefinitionTexts } from './read-definition.ts';
import { locateChanges, type SeriesChanges } from './parse-series.ts';
import type { SeriesDefinition } from './types.ts';
import { refuseWindowsLines } from './windows-lines.ts';

/** overlay.yaml at the top of a workspace: its base and the changes to the base's series. */
export interface ParsedOverlay {
  /** Relative to the file. */
  readonly base: string;
  readonly baseAt: Position;
  readonly series: readonly ({ readonly name: string; readonly at: Position } & Pick<
    SeriesDefinition,
    'overrides' | 'images'
  >)[];
}

interface OverlayFile {
  readonly base: string;
  readonly series?: Readonly<Record<string, SeriesChanges>>;
}

const SCHEMA = new URL('../schemas/overlay.schema.json', import.meta.url);

/** Reads overlay.yaml. Raises `yaml-invalid` with all findings. */
export function parseOverlay([{ text, file }]: DefinitionTexts): ParsedOverlay {
  refuseWindowsLines({ text, file });
  const { value, position } = parseYaml<OverlayFile>(text, file, loadSchema(SCHEMA));
  return {
    base: value.base,
    baseAt: position(['base']),
    series: Object.entries(value.series ?? {}).map(([name, changes]) => ({
      name,
      at: position(['series', name]),
      ...locateChanges(changes, ['series', name], position),
    })),
  };
}
