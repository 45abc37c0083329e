import {
  CcpError,
  nearest,
  omitUndefined,
  throwFindings,
  type ImageName,
  type Series,
} from '#core';
import type { ImageDefinition, Workspace } from '#definitions';
import { closure } from './closure.ts';
import { orderImages } from './order-images.ts';
import { seriesMembers } from './series-members.ts';
import type { ImageEdge, ImageGraph } from './types.ts';

/**
 * Builds the graph of the images of `series`, a series of the workspace, as selected by
 * `seriesMembers`. Throws all findings together: `image-duplicate`, `source-no-ref`,
 * `parent-missing` (unknown, or not in this series) and `graph-cycle`. Linear in images and edges.
 */
export function buildGraph(workspace: Workspace, series: Series): ImageGraph {
  const all = byName(workspace.images);
  const { images, absent, findings } = seriesMembers(
    all,
    workspace.series.find(({ name }) => name === series) ?? { name: series },
  );
  throwFindings([
    ...findings,
    ...[...images.values()].flatMap((image) => missingParents(image, images)),
  ]);

  const order = orderImages(images);
  const edges = order.flatMap((from) => edgesOf(images.get(from)!));
  const rank = new Map(order.map((name, index) => [name, index]));
  const sorted = (names: Iterable<ImageName>) =>
    [...new Set(names)].sort((a, b) => rank.get(a)! - rank.get(b)!);
  const parents = groupNames(order, edges, (edge) => [edge.from, edge.to], sorted);
  const children = groupNames(order, edges, (edge) => [edge.to, edge.from], sorted);
  const parentsOf = (name: ImageName) => parents.get(name) ?? [];
  const childrenOf = (name: ImageName) => children.get(name) ?? [];
  return {
    series,
    images,
    order,
    edges,
    absent,
    parents: parentsOf,
    children: childrenOf,
    ancestors: (name) => sorted(closure(parentsOf(name), parentsOf)),
    descendants: (name) => sorted(closure(childrenOf(name), childrenOf)),
  };
}

function byName(images: readonly ImageDefinition[]): Map<ImageName, ImageDefinition> {
  const findings: CcpError[] = [];
  const named = new Map<ImageName, ImageDefinition>();
  for (const image of [...images].sort((a, b) =>
    a.name < b.name ? -1 : a.name > b.name ? 1 : 0,
  )) {
    const first = named.get(image.name);
    if (first === undefined) named.set(image.name, image);
    else {
      const message = `two images are named ${image.name}: ${first.folder} and ${image.folder}`;
      findings.push(
        new CcpError({
          code: 'image-duplicate',
          message,
          hint: 'rename one of the folders',
          at: image.positions.definition,
        }),
      );
    }
  }
  throwFindings(findings);
  return named;
}

function missingParents(
  image: ImageDefinition,
  images: ReadonlyMap<ImageName, ImageDefinition>,
): CcpError[] {
  return edgesOf(image)
    .filter(({ to }) => !images.has(to))
    .map(({ to, role }) => {
      const at = image.positions.parents[role];
      const meant = nearest(to, images.keys());
      return new CcpError({
        code: 'parent-missing',
        message: `image ${image.name} has the unknown ${role} "${to}"`,
        hint: meant === undefined ? `add images/${to}/image.yaml` : `did you mean "${meant}"?`,
        ...omitUndefined({ at }),
      });
    });
}

function edgesOf(image: ImageDefinition): ImageEdge[] {
  return Object.keys(image.parents)
    .sort()
    .map((role) => ({ from: image.name, to: image.parents[role]!, role }));
}

function groupNames(
  order: readonly ImageName[],
  edges: readonly ImageEdge[],
  pair: (edge: ImageEdge) => readonly [key: ImageName, value: ImageName],
  sorted: (names: Iterable<ImageName>) => ImageName[],
): ReadonlyMap<ImageName, readonly ImageName[]> {
  const groups = new Map<ImageName, ImageName[]>(order.map((name) => [name, []]));
  for (const edge of edges) {
    const [key, value] = pair(edge);
    groups.get(key)!.push(value);
  }
  return new Map([...groups].map(([name, names]) => [name, sorted(names)]));
}
