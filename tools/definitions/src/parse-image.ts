import { CcpError, imageName, platform, throwFindings, type ImageName, type Platform, type Position } from '#core';
import { checkImage } from './image-rules.ts';
import { toSeriesItem, toSource, type ImageFile } from './image-file.ts';
import { loadSchema } from './json-schema.ts';
import { parseYaml, type ParsedYaml } from './parse-yaml.ts';
import { seriesMentions, type SeriesMention } from './series-mentions.ts';
import { parseSize } from './size.ts';
import type { ImageDefinition, PythonDefinition } from './types.ts';

/** An image definition without what only its place on the disk tells, and what rules across files point to. */
export interface ParsedImage {
  readonly definition: Omit<ImageDefinition, 'folder'>;
  readonly mentions: readonly SeriesMention[];
  readonly uidAt?: Position;
}

/** Reads images/<name>/image.yaml. Raises `yaml-invalid` and `definition-invalid` with all findings in the file. */
export function parseImage(name: ImageName, text: string, file: string): ParsedImage {
  const parsed = parseYaml<ImageFile>(text, file, loadSchema(new URL('../schemas/image.schema.json', import.meta.url)));
  const findings = checkImage(parsed.value);
  throwFindings(findings.map(({ path, ...finding }) => new CcpError({ code: 'definition-invalid', ...finding, at: parsed.position(path) })));
  return {
    definition: toDefinition(name, parsed),
    mentions: seriesMentions(parsed.value).map(({ series, path }) => ({ series, at: parsed.position(path) })),
    ...(parsed.value.user === undefined ? {} : { uidAt: parsed.position(['user', 'uid']) }),
  };
}

function toDefinition(name: ImageName, { value, position }: ParsedYaml<ImageFile>): ParsedImage['definition'] {
  const { budget, debian = {}, parents = {}, platforms = ['linux/amd64'], python, sources = {}, tests = {}, ...same } = value;
  return {
    labels: {},
    args: {},
    shipped: true,
    unlocked: false,
    ...same,
    name,
    parents: mapValues(parents, imageName),
    sources: mapValues(sources, toSource),
    debian: mapValues(debian, (stage) => ({ ...stage, packages: stage.packages.map(toSeriesItem) })),
    ...(python === undefined ? {} : { python: toPython(python) }),
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
    positions: {
      definition: position([]),
      parents: Object.fromEntries(Object.keys(parents).map((role) => [role, position(['parents', role])])),
    },
  };
}

function toPython({ packages = [], tools = [], ...python }: NonNullable<ImageFile['python']>): PythonDefinition {
  return { extras: [], provided: [], ...python, packages: packages.map(toSeriesItem), tools: tools.map(toSeriesItem) };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
