import { CcpError, formatPosition, type ImageName, type Position } from '#core';
import type { ImageDefinition, SeriesDefinition } from '#definitions';
import { closure } from './closure.ts';

/** Why an image is not in a series (a clause whose subject is the image), and how to add it. */
export interface SeriesAbsence {
  readonly reason: string;
  readonly hint: string;
}

/** All images, divided into members of a series and others. */
export interface SeriesMembers {
  readonly images: ReadonlyMap<ImageName, ImageDefinition>;
  readonly absent: ReadonlyMap<ImageName, SeriesAbsence>;
  /**
   * A finding for each image that a file assigns to the series although it cannot be built there.
   * Codes: `source-no-ref`, `parent-missing`.
   */
  readonly findings: readonly CcpError[];
}

type Series = Pick<SeriesDefinition, 'name' | 'images'>;

/**
 * Returns the images of a series. An image is a member if its own list of series allows it, all its
 * sources have a ref for the series, and its parents are members. If the series lists images, only
 * those images and their ancestors are members.
 */
export function seriesMembers(
  all: ReadonlyMap<ImageName, ImageDefinition>,
  series: Series,
): SeriesMembers {
  const unfit = unfitImages(all, series);
  const parentsOf = (name: ImageName): Iterable<ImageName> =>
    Object.values(all.get(name)?.parents ?? {});
  const named = series.images?.map(({ name }) => name);
  const taken = named === undefined ? undefined : closure(named, parentsOf);
  const others: SeriesAbsence = {
    reason: 'the series does not list it',
    hint: `add it to the images of series ${series.name}${series.images?.[0] === undefined ? '' : ` (${formatPosition(series.images[0].at)})`}`,
  };
  const absent = new Map<ImageName, SeriesAbsence>(
    [...all.keys()].flatMap((name) => {
      const absence = taken?.has(name) === false ? others : unfit.get(name);
      return absence === undefined ? [] : [[name, absence] as const];
    }),
  );
  const findings = [...unfit].flatMap(([name, { code, reason, hint }]) => {
    const at = absent.get(name) === others ? undefined : claimOf(all.get(name)!, series);
    const message = `image ${name} cannot be in series ${series.name}: ${reason}`;
    return at === undefined
      ? []
      : [new CcpError({ code, message, hint: `${hint}, or remove ${name} from the series`, at })];
  });
  return { images: new Map([...all].filter(([name]) => !absent.has(name))), absent, findings };
}

/** The images that cannot be in the series, even if the series lists them. */
function unfitImages(
  all: ReadonlyMap<ImageName, ImageDefinition>,
  series: Series,
): ReadonlyMap<ImageName, SeriesAbsence & { readonly code: string }> {
  const unfit = new Map<ImageName, SeriesAbsence & { readonly code: string }>();
  for (const image of all.values()) {
    const absence = ownAbsence(image, series);
    if (absence !== undefined) unfit.set(image.name, { ...absence, code: 'source-no-ref' });
  }
  const edges = [...all.values()].flatMap(({ name, parents }) =>
    Object.entries(parents).map(([role, parent]) => ({ name, role, parent })),
  );
  const children = Map.groupBy(edges, ({ parent }) => parent);
  // The loop also visits entries added during the iteration, so it reaches all descendants.
  for (const [parent, { reason, hint }] of unfit) {
    for (const { name, role } of children.get(parent) ?? []) {
      if (!unfit.has(name))
        unfit.set(name, {
          reason: `its ${role} ${parent} is not in it: ${reason}`,
          hint,
          code: 'parent-missing',
        });
    }
  }
  return unfit;
}

function ownAbsence(image: ImageDefinition, { name }: Series): SeriesAbsence | undefined {
  const { series, sources } = image;
  if (series?.includes(name) === false)
    return {
      reason: `its definition is limited to ${series.join(', ')}`,
      hint: `add "${name}" to series in ${fileToChange(image)}`,
    };
  const without = Object.entries(sources)
    .filter(([, { refs }]) => refs[name] === undefined)
    .map(([key]) => key);
  if (without.length === 0) return undefined;
  const key = /^[a-z]/.test(name) ? name : `"${name}"`;
  const refs = without.map((source) => `${source}: { refs: { ${key}: TAG } }`).join(', ');
  return {
    reason: `its ${without.length === 1 ? 'source' : 'sources'} ${without.join(', ')} ${without.length === 1 ? 'has' : 'have'} no ref for it`,
    hint: `add "sources: { ${refs} }" to ${fileToChange(image)}`,
  };
}

/** The file of this workspace that defines the image or overlays its definition. */
function fileToChange({ name, folder, layers }: ImageDefinition): string {
  return `images/${name}/${layers === undefined || folder.startsWith(`${layers.root}/`) ? 'image' : 'overlay'}.yaml`;
}

/** The position that assigns the image to the series. */
function claimOf(
  { name, series: own, positions }: ImageDefinition,
  series: Series,
): Position | undefined {
  const named = series.images?.find((image) => image.name === name)?.at;
  const ref = Object.values(positions.refs ?? {}).flatMap((refs) => refs[series.name] ?? [])[0];
  return named ?? ref ?? (own?.includes(series.name) === true ? positions.definition : undefined);
}
