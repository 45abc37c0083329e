import { createRequire } from 'node:module';
import { CcpError, collectErrors, isRecord, type Position } from '#core';
import type { ConfigSpec, ConfigValue, EachValue } from '#definitions';
import { resolveList, resolveText, type Scope } from '../model/facts.ts';
import { isMet } from '../model/is-met.ts';
import { writeIni, writeProperties, type IniContent, type IniScalar } from './ini.ts';

type Content = { readonly [key: string]: ConfigValue | null };
type Plain = IniScalar | readonly Plain[] | { readonly [key: string]: Plain };

type Path = readonly (string | number)[];

/** A layer, and where each value of it is written. */
export interface PlacedLayer {
  readonly content: string | Content;
  position(path: Path): Position;
}

const require = createRequire(import.meta.url);

/** Layers of a configuration file that count, lowest first; `position` is that of a path below its own layers. */
export function layersOf(
  spec: ConfigSpec,
  scope: Scope,
  position: (path: Path) => Position,
  overrides: readonly PlacedLayer[] = [],
): PlacedLayer[] {
  const bound = (requirement: string): boolean => !scope.absent.has(`requires.${requirement}`);
  const own = spec.layers.flatMap(({ when, content }, index): PlacedLayer[] => {
    if (!isMet(when, bound)) return [];
    return [{ content, position: (path) => position([index, 'content', ...path]) }];
  });
  return [...own, ...overrides];
}

/**
 * The bytes of a configuration file. Raises `reference-unknown`, `config-unsafe`, `config-shape` (a layer that does not fit the
 * format) and `secret-in-config` (files are ConfigMaps, which everyone may read), each at its value or layer, of all values together.
 */
export function renderConfigFile(
  format: ConfigSpec['format'],
  layers: readonly PlacedLayer[],
  scope: Scope,
): string {
  const last = layers.at(-1);
  if (last === undefined) return '';
  const at = last.position([]);
  if (format === 'text') {
    if (typeof last.content !== 'string') throw misshaped('text', at);
    return last.content;
  }
  let merged: Record<string, Plain> = {};
  collectErrors(
    layers.map(({ content, position }) => () => {
      if (typeof content === 'string') throw misshaped('a map', position([]));
      merged = overlay(merged, content, (value, path) =>
        resolveValue(value, scope, path, position),
      );
    }),
  );
  if (format === 'yaml')
    return (require('yaml') as typeof import('yaml')).stringify(merged, { lineWidth: 0 });
  if (format === 'properties') return writeProperties(numbered(merged, at), at);
  const sections = Object.entries(merged).map(([section, options]) => {
    if (!isRecord(options)) throw misshaped('sections of options', at);
    return [
      section,
      Object.fromEntries(
        Object.entries(options).map(([option, value]) => [option, joined(value, at)]),
      ),
    ] as const;
  });
  return writeIni(Object.fromEntries(sections) satisfies IniContent, at);
}

function overlay(
  below: Readonly<Record<string, Plain>>,
  layer: Content,
  resolve: (value: ConfigValue, path: Path) => Plain | undefined,
  path: Path = [],
): Record<string, Plain> {
  const result: Record<string, Plain> = { ...below };
  collectErrors(
    Object.entries(layer).map(([key, value]) => () => {
      const here = [...path, key];
      if (value === null) delete result[key];
      else if (isRecord(value) && !isEach(value))
        result[key] = overlay(isRecord(below[key]) ? below[key] : {}, value, resolve, here);
      else {
        const resolved = resolve(value, here);
        if (resolved !== undefined) result[key] = resolved;
      }
    }),
  );
  return result;
}

function resolveValue(
  value: ConfigValue,
  scope: Scope,
  path: Path,
  position: PlacedLayer['position'],
): Plain | undefined {
  const at = (): Position => position(path);
  if (typeof value === 'string') return plainText(value, scope, at);
  if (typeof value !== 'object') return value;
  if (Array.isArray(value))
    return collectErrors(
      value.map(
        (item: ConfigValue, index) => () =>
          resolveValue(item, scope, [...path, index], position) ?? [],
      ),
    ).flat() as readonly Plain[];
  if (isEach(value)) {
    return resolveList(value.each, scope, at)?.flatMap((item) => {
      const facts = new Map(scope.facts).set('item', [{ text: item }]);
      return plainText(value.value, { ...scope, facts }, at) ?? [];
    });
  }
  return overlay(
    {},
    value as Content,
    (inner, below) => resolveValue(inner, scope, below, position),
    path,
  );
}

function plainText(value: string, scope: Scope, at: () => Position): string | undefined {
  const parts = resolveText(value, scope, at);
  return parts
    ?.map((part) => {
      if ('text' in part) return part.text;
      const what = 'secret' in part ? `the secret "${part.secret.name}"` : 'a field of the pod';
      throw new CcpError({
        code: 'secret-in-config',
        message: `${JSON.stringify(value)} would put ${what} into a configuration file, which everyone may read and all pods share`,
        hint: 'give it by an environment variable: oslo.config reads OS_<GROUP>__<OPTION>',
        at: at(),
      });
    })
    .join('');
}

function numbered(
  content: Readonly<Record<string, Plain>>,
  at: Position,
): Record<string, IniScalar> {
  const flat = Object.entries(content).flatMap(([key, value]): (readonly [string, IniScalar])[] => {
    if (isRecord(value)) throw misshaped('a flat map', at);
    if (!Array.isArray(value)) return [[key, value as IniScalar]];
    return value.map((item: Plain, index) => [`${key}.${index + 1}`, joined(item, at)] as const);
  });
  return Object.fromEntries(flat);
}

function joined(value: Plain, at: Position): IniScalar {
  if (typeof value !== 'object') return value;
  if (isRecord(value)) throw misshaped('plain values or lists of them', at);
  return value.map((item) => joined(item, at)).join(',');
}

function isEach(value: ConfigValue): value is EachValue {
  return (
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.keys(value).sort().join() === 'each,value'
  );
}

function misshaped(wanted: string, at: Position): CcpError {
  return new CcpError({
    code: 'config-shape',
    message: `the layer does not fit the format of the file, which is ${wanted}`,
    at,
  });
}
