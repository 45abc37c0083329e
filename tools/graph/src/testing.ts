import { imageName, omitUndefined, platform, series, type ImageName, type Position } from '#core';
import type { ImageDefinition, Workspace } from '#definitions';

/**
 * Makes a workspace with the series 2026.1 and 2025.2 from rows such as
 * `keystone: base=openstack-base builder=builder series=2026.1 refs=2026.1+2025.2`, where `refs`
 * are the refs of one source. If `images` is given, both series list exactly these images.
 */
export function workspaceOf(rows: readonly string[], images?: readonly string[]): Workspace {
  const listed =
    images === undefined
      ? {}
      : {
          images: images.map((name, index) => ({
            name: imageName(name),
            at: { file: 'images/series.yaml', line: 9, column: index + 1 },
          })),
        };
  return {
    root: '/workspace',
    series: ['2026.1', '2025.2'].map((name) => ({
      name: series(name),
      codename: 'x',
      suite: 'trixie',
      python: '3.13',
      overrides: [],
      ...listed,
    })),
    images: rows.map(imageOf),
  };
}

function imageOf(row: string): ImageDefinition {
  const [name = '', rest = ''] = row.split(':');
  const pairs = rest
    .split(' ')
    .filter(Boolean)
    .map((word) => word.split('=') as [string, string]);
  const file = `images/${name}/image.yaml`;
  const parents: Record<string, ImageName> = {};
  const positions: Record<string, Position> = {};
  let inSeries: string[] | undefined;
  let refs: string[] = [];
  for (const [index, [key, value]] of pairs.entries()) {
    if (key === 'series') inSeries = value.split(',');
    else if (key === 'refs') refs = value.split('+');
    else {
      parents[key] = imageName(value);
      positions[key] = { file, line: index + 4, column: 3 };
    }
  }
  return {
    name: imageName(name),
    folder: `/workspace/images/${name}`,
    title: name,
    description: name,
    parents,
    sources:
      refs.length === 0
        ? {}
        : {
            own: {
              repository: 'https://git.example/own',
              refs: Object.fromEntries(refs.map((ref) => [ref, '1.0.0'])),
              submodules: [],
            },
          },
    debian: {},
    root: 'a test',
    ...omitUndefined({ series: inSeries }),
    labels: {},
    args: {},
    platforms: [platform('linux/amd64')],
    shipped: true,
    unlocked: false,
    tests: { commands: [], imports: [], importExceptions: {}, setuid: [], allow: [] },
    positions: {
      definition: { file, line: 1, column: 1 },
      parents: positions,
      refs: { own: Object.fromEntries(refs.map((ref) => [ref, { file, line: 2, column: 3 }])) },
    },
  };
}
