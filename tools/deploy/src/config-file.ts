import { createRequire } from 'node:module';
import { CcpError, type Position } from '#core';
import type { ConfigSpec, ConfigValue, EachValue } from '#definitions';
import { holds } from './condition.ts';
import { resolveList, resolveText, type Scope } from './facts.ts';
import { writeIni, writeProperties, type IniContent, type IniScalar } from './ini.ts';

type Content = { readonly [key: string]: ConfigValue | null };
type Plain = IniScalar | readonly Plain[] | { readonly [key: string]: Plain };

/** A layer with the place where it is written. */
export interface PlacedLayer {
  readonly content: string | Content;
  readonly at: Position;
}

const require = createRequire(import.meta.url);

/** Layers of a configuration file that count, lowest first. */
export function layersOf(spec: ConfigSpec, scope: Scope, at: (index: number) => Position, overrides: readonly PlacedLayer[] = []): PlacedLayer[] {
  const own = spec.layers.flatMap((layer, index) => (layer.when !== undefined && !holds(layer.when, (requirement) => !scope.absent.has(requirement)) ? [] : [{ content: layer.content, at: at(index) }]));
  return [...own, ...overrides];
}

/**
 * The bytes of a configuration file. Raises `reference-unknown`, `config-unsafe`, `config-shape` (a layer that does not fit the
 * format) and `secret-in-config` (files are ConfigMaps, which everyone may read), each at its layer.
 */
export function renderConfigFile(format: ConfigSpec['format'], layers: readonly PlacedLayer[], scope: Scope): string {
  const last = layers.at(-1);
  if (last === undefined) return '';
  if (format === 'text') {
    if (typeof last.content !== 'string') throw misshaped('text', last.at);
    return last.content;
  }
  let merged: Record<string, Plain> = {};
  for (const { content, at } of layers) {
    if (typeof content === 'string') throw misshaped('a map', at);
    merged = overlay(merged, content, (value) => resolveValue(value, scope, at));
  }
  if (format === 'yaml') return (require('yaml') as typeof import('yaml')).stringify(merged, { lineWidth: 0 });
  if (format === 'properties') return writeProperties(numbered(merged, last.at), last.at);
  const sections = Object.entries(merged).map(([section, options]) => {
    if (!isMap(options)) throw misshaped('sections of options', last.at);
    return [section, Object.fromEntries(Object.entries(options).map(([option, value]) => [option, joined(value, last.at)]))] as const;
  });
  return writeIni(Object.fromEntries(sections) satisfies IniContent, last.at);
}

function overlay(below: Readonly<Record<string, Plain>>, layer: Content, resolve: (value: ConfigValue) => Plain | undefined): Record<string, Plain> {
  const result: Record<string, Plain> = { ...below };
  for (const [key, value] of Object.entries(layer)) {
    if (value === null) delete result[key];
    else if (isMap(value) && !isEach(value)) result[key] = overlay(isMap(below[key]) ? below[key] : {}, value, resolve);
    else {
      const resolved = resolve(value);
      if (resolved !== undefined) result[key] = resolved;
    }
  }
  return result;
}

function resolveValue(value: ConfigValue, scope: Scope, at: Position): Plain | undefined {
  if (typeof value === 'string') return plainText(value, scope, at);
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.flatMap((item: ConfigValue) => resolveValue(item, scope, at) ?? []);
  if (isEach(value)) {
    return resolveList(value.each, scope, at)?.flatMap((item) => {
      const facts = new Map(scope.facts).set('item', [{ text: item }]);
      return plainText(value.value, { ...scope, facts }, at) ?? [];
    });
  }
  return overlay({}, value as Content, (inner) => resolveValue(inner, scope, at));
}

function plainText(value: string, scope: Scope, at: Position): string | undefined {
  const parts = resolveText(value, scope, at);
  return parts?.map((part) => {
    if ('text' in part) return part.text;
    const what = 'secret' in part ? `the secret "${part.secret.name}"` : 'a field of the pod';
    throw new CcpError({
      code: 'secret-in-config',
      message: `${JSON.stringify(value)} would put ${what} into a configuration file, which everyone may read and all pods share`,
      hint: 'give it by an environment variable: oslo.config reads OS_<GROUP>__<OPTION>',
      at,
    });
  }).join('');
}

function numbered(content: Readonly<Record<string, Plain>>, at: Position): Record<string, IniScalar> {
  const flat = Object.entries(content).flatMap(([key, value]): (readonly [string, IniScalar])[] => {
    if (isMap(value)) throw misshaped('a flat map', at);
    if (!Array.isArray(value)) return [[key, value as IniScalar]];
    return value.map((item: Plain, index) => [`${key}.${index + 1}`, joined(item, at)] as const);
  });
  return Object.fromEntries(flat);
}

function joined(value: Plain, at: Position): IniScalar {
  if (typeof value !== 'object') return value;
  if (isMap(value)) throw misshaped('plain values or lists of them', at);
  return value.map((item) => joined(item, at)).join(',');
}

function isMap<T>(value: T | readonly T[] | { readonly [key: string]: T } | undefined): value is { readonly [key: string]: T } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEach(value: ConfigValue): value is EachValue {
  return typeof value === 'object' && !Array.isArray(value) && Object.keys(value).sort().join() === 'each,value';
}

function misshaped(wanted: string, at: Position): CcpError {
  return new CcpError({ code: 'config-shape', message: `the layer does not fit the format of the file, which is ${wanted}`, at });
}
