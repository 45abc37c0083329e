import type { Position } from '#core';
import type { ImageFile, PackageItem } from './image-file.ts';
import type { YamlPath } from './yaml-node.ts';

/** A place in a definition that names a series or a Debian suite. */
export interface SeriesMention {
  readonly kind: 'series' | 'suite';
  readonly name: string;
  readonly at: Position;
}

interface Mention extends Omit<SeriesMention, 'at'> {
  readonly path: YamlPath;
}

/** Every place in the file that names a series or a suite, in any order. */
export function seriesMentions(file: ImageFile): Mention[] {
  return [
    ...inList('series', file.series, ['series']),
    ...Object.entries(file.sources ?? {}).flatMap(([key, { refs, patches = [] }]) => [
      ...Object.keys(refs).map((name): Mention => ({
        kind: 'series',
        name,
        path: ['sources', key, 'refs', name],
      })),
      ...inItems(patches, ['sources', key, 'patches']),
    ]),
    ...Object.entries(file.debian ?? {}).flatMap(([stage, { packages }]) =>
      inItems(packages, ['debian', stage, 'packages']),
    ),
    ...inItems(file.python?.packages ?? [], ['python', 'packages']),
    ...inItems(file.python?.tools ?? [], ['python', 'tools']),
  ];
}

function inItems(items: readonly PackageItem[], path: YamlPath): Mention[] {
  return items.flatMap((item, index) => {
    if (typeof item === 'string') return [];
    return [
      ...inList('series', item.series, [...path, index, 'series']),
      ...inList('suite', item.suites, [...path, index, 'suites']),
    ];
  });
}

function inList(kind: Mention['kind'], list: readonly string[] = [], path: YamlPath): Mention[] {
  return list.map((name, index) => ({ kind, name, path: [...path, index] }));
}
