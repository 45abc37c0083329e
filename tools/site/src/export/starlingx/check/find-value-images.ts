import { isRecord } from '#core';
import type { Mapping } from './yaml-of.ts';

const TAGS = ['tag', 'imagetag'];
const IMAGE = /\/.+:.+$/;

/**
 * The part of a chart's values in which StarlingX looks for images: `images.tags`, else the texts
 * of `images`; `image` as a text, or with registry, repository and tag; and tags next to it. For
 * Helm, `__proto__` is a key like others.
 */
export function imageValues(values: Mapping): Mapping {
  const found = new Map<string, unknown>();
  for (const [key, value] of Object.entries(values)) {
    const name = key.toLowerCase();
    if (name === 'images') {
      if (isRecord(value) && value['tags'] !== undefined) found.set(key, { tags: value['tags'] });
      else if (isRecord(value)) found.set(key, value);
    } else if (name === 'image') {
      if (typeof value === 'string') found.set(key, value);
      else if (isRecord(value)) found.set(key, value);
    } else if (TAGS.includes(name)) {
      if (typeof value === 'string') found.set(key, value);
    } else if (isRecord(value)) {
      const below = imageValues(value);
      if (Object.keys(below).length > 0) found.set(key, below);
    }
  }
  return Object.fromEntries(found);
}

/** Merges mappings as StarlingX merges values: texts of `over` replace others. */
export function mergeValues(under: Mapping, over: Mapping): Mapping {
  const merged = new Map<string, unknown>(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const before = merged.get(key);
    merged.set(key, isRecord(value) ? mergeValues(isRecord(before) ? before : {}, value) : value);
  }
  return Object.fromEntries(merged);
}

/** The references in the result of `imageValues`, which StarlingX pulls. */
export function imageReferences(values: Mapping): readonly string[] {
  return Object.entries(values).flatMap(([key, value]): readonly string[] => {
    const name = key.toLowerCase();
    if (name === 'images' && isRecord(value)) {
      const tags = value['tags'];
      return texts(Object.values(isRecord(tags) ? tags : value));
    }
    if (name === 'image') return referencesOf(value, values);
    return isRecord(value) ? imageReferences(value) : [];
  });
}

/** The reference of an `image` whose siblings may have its tag, and those nested in it. */
function referencesOf(value: unknown, siblings: Mapping): readonly string[] {
  if (typeof value === 'string') {
    const tag = Object.entries(siblings).find(
      ([key, text]) => TAGS.includes(key.toLowerCase()) && typeof text === 'string' && text !== '',
    );
    return [tag === undefined ? value : `${value}:${String(tag[1])}`].filter((text) =>
      IMAGE.test(text),
    );
  }
  if (!isRecord(value)) return [];
  const { registry, repository, tag, ...nested } = value;
  const whole =
    typeof repository === 'string' && typeof tag === 'string'
      ? [
          `${typeof registry === 'string' && registry !== '' ? `${registry}/` : ''}${repository}:${tag}`,
        ]
      : [];
  return [...whole, ...nestedReferences(nested)];
}

function nestedReferences(value: unknown): readonly string[] {
  if (typeof value === 'string') return IMAGE.test(value) ? [value] : [];
  if (!isRecord(value)) return [];
  const { image, ...others } = value;
  return [
    ...(typeof image === 'string' ? referencesOf(image, value) : nestedReferences(image)),
    ...Object.entries(others).flatMap(([key, one]) =>
      TAGS.includes(key.toLowerCase()) ? [] : nestedReferences(one),
    ),
  ];
}

function texts(values: readonly unknown[]): readonly string[] {
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}

/** Paths of `images.NAME` with a repository, which StarlingX does not find. */
export function hiddenImages(values: Mapping, at: readonly string[] = []): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (!isRecord(value)) return [];
    const path = [...at, key];
    const parent = at.at(-1)?.toLowerCase();
    const isHidden =
      (parent === 'images' && key !== 'tags' && typeof value['repository'] === 'string') ||
      (parent === 'images' && key === 'digests');
    return [...(isHidden ? [path.join('.')] : []), ...hiddenImages(value, path)];
  });
}
