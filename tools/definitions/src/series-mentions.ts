import type { Position } from '#core';
import type { ImageFile, PackageItem } from './image-file.ts';
import type { YamlPath } from './yaml-node.ts';

/** A place in a definition that names a series. */
export interface SeriesMention {
  readonly series: string;
  readonly at: Position;
}

interface Mention {
  readonly series: string;
  readonly path: YamlPath;
}

/** Every place of the file that names a series, in no special order. */
export function seriesMentions(file: ImageFile): Mention[] {
  return [
    ...inList(file.series ?? [], ['series']),
    ...Object.entries(file.sources ?? {}).flatMap(([key, { refs, patches = [] }]) => [
      ...Object.keys(refs).map((series) => ({ series, path: ['sources', key, 'refs', series] })),
      ...inItems(patches, ['sources', key, 'patches']),
    ]),
    ...Object.entries(file.debian ?? {}).flatMap(([stage, { packages }]) => inItems(packages, ['debian', stage, 'packages'])),
    ...inItems(file.python?.packages ?? [], ['python', 'packages']),
    ...inItems(file.python?.tools ?? [], ['python', 'tools']),
  ];
}

function inItems(items: readonly PackageItem[], path: YamlPath): Mention[] {
  return items.flatMap((item, index) => (typeof item === 'string' ? [] : inList(item.series, [...path, index, 'series'])));
}

function inList(list: readonly string[], path: YamlPath): Mention[] {
  return list.map((series, index) => ({ series, path: [...path, index] }));
}
