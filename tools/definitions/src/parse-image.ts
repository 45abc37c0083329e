import { posix } from 'node:path';
import {
  CcpError,
  imageName,
  mapRecord,
  platform,
  throwFindings,
  type ImageName,
  type Json,
  type Platform,
  type Position,
} from '#core';
import { checkImage } from './image-rules.ts';
import { toSeriesItem, type ImageFile, type PackageItem, type SourceFile } from './image-file.ts';
import { loadSchema } from './json-schema.ts';
import { mergeOverlays, type MergedImage } from './merge-overlay.ts';
import { parseYaml } from './parse-yaml.ts';
import type { DefinitionTexts } from './read-definition.ts';
import { seriesMentions, type SeriesMention } from './series-mentions.ts';
import { parseSize } from './size.ts';
import type {
  ImageDefinition,
  PatchDefinition,
  PythonDefinition,
  SourceDefinition,
} from './types.ts';
import type { YamlPath } from './yaml-node.ts';

/** An image definition without its folder, and the places that rules across files report. */
export interface ParsedImage {
  readonly definition: Omit<ImageDefinition, 'folder'>;
  readonly mentions: readonly SeriesMention[];
  readonly uidAt?: Position;
}

const IMAGE_SCHEMA = new URL('../schemas/image.schema.json', import.meta.url);
const OVERLAY_SCHEMA = new URL('../schemas/image-overlay.schema.json', import.meta.url);

/**
 * Parses images/<name>/image.yaml and its overlays. Paths of patches are relative to the workspace.
 * Raises `yaml-invalid`, `overlay-invalid` and `definition-invalid` with all findings of the pass.
 */
export function parseImage(name: ImageName, [image, ...overlays]: DefinitionTexts): ParsedImage {
  const base = parseYaml<ImageFile>(image.text, image.file, loadSchema(IMAGE_SCHEMA));
  const changes = overlays.map(({ text, file }) =>
    parseYaml<Json>(text, file, loadSchema(OVERLAY_SCHEMA)),
  );
  const { merged, findings } = mergeOverlays(base, changes);
  throwFindings(findings);
  throwFindings(
    checkImage(merged.value).map(
      ({ path, ...finding }) =>
        new CcpError({ code: 'definition-invalid', ...finding, at: merged.position(path) }),
    ),
  );
  return {
    definition: toDefinition(name, merged),
    mentions: seriesMentions(merged.value).map(({ path, ...mention }) => ({
      ...mention,
      at: merged.position(path),
    })),
    ...(merged.value.user === undefined ? {} : { uidAt: merged.position(['user', 'uid']) }),
  };
}

function toDefinition(
  name: ImageName,
  { value, position, overlaid }: MergedImage,
): ParsedImage['definition'] {
  const {
    budget,
    debian = {},
    go,
    parents = {},
    platforms = ['linux/amd64'],
    python,
    sources = {},
    tests = {},
    ...same
  } = value;
  return {
    labels: {},
    args: {},
    shipped: true,
    unlocked: false,
    ...same,
    name,
    parents: mapRecord(parents, (parent) => imageName(parent)),
    sources: mapRecord(sources, (source, key) => toSource(key, source, position)),
    debian: mapRecord(debian, (stage, key) => ({
      ...stage,
      packages: itemsAt(['debian', key, 'packages'], stage.packages, position),
    })),
    ...(python === undefined ? {} : { python: toPython(python, position) }),
    ...(go === undefined ? {} : { go: { modules: [], programs: {}, packages: [], ...go } }),
    platforms: platforms.map((text): Platform => platform(text)),
    ...(budget === undefined ? {} : { sizeBudget: parseSize(budget) }),
    tests: {
      imports: [],
      importExceptions: {},
      setuid: [],
      allow: [],
      ...tests,
      commands: (tests.commands ?? []).map((command) => ({ exitCode: 0, ...command })),
    },
    ...(overlaid.length === 0 ? {} : { overlaid }),
    positions: {
      definition: position([]),
      parents: mapRecord(parents, (_, role) => position(['parents', role])),
      ...(Object.keys(sources).length === 0
        ? {}
        : {
            refs: mapRecord(sources, ({ refs }, key) =>
              mapRecord(refs, (_, series) => position(['sources', key, 'refs', series])),
            ),
          }),
    },
  };
}

/** The source with its defaults. */
function toSource(
  key: string,
  { patches = [], ...source }: SourceFile,
  position: MergedImage['position'],
): SourceDefinition {
  const found = itemsAt(['sources', key, 'patches'], patches, position).map(
    (item): PatchDefinition => ({
      ...item,
      path: posix.join(posix.dirname(item.at.file), 'patches', item.value),
    }),
  );
  return { submodules: [], ...source, ...(found.length === 0 ? {} : { patches: found }) };
}

function toPython(
  { packages = [], tools = [], ...python }: NonNullable<ImageFile['python']>,
  position: MergedImage['position'],
): PythonDefinition {
  return {
    extras: [],
    provided: [],
    ...python,
    packages: itemsAt(['python', 'packages'], packages, position),
    tools: itemsAt(['python', 'tools'], tools, position),
  };
}

/** The items with their positions; `path` is the path of the list. */
function itemsAt(path: YamlPath, items: readonly PackageItem[], position: MergedImage['position']) {
  return items.map((item, index) => ({ ...toSeriesItem(item), at: position([...path, index]) }));
}
