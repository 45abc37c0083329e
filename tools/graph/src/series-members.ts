import { CcpError, formatPosition, type ImageName, type Position } from '#core';
import type { ImageDefinition, SeriesDefinition } from '#definitions';
import { closure } from './closure.ts';

/** Why an image is not in a series, as a clause about it, and what would change that. */
export interface Absence {
  readonly reason: string;
  readonly hint: string;
}

/** All images, told apart by whether a series has them. */
export interface SeriesMembers {
  readonly images: ReadonlyMap<ImageName, ImageDefinition>;
  readonly absent: ReadonlyMap<ImageName, Absence>;
  /** One for each image that a file says is in the series, though it cannot be: codes `source-no-ref` and `parent-missing`. */
  readonly findings: readonly CcpError[];
}

type Series = Pick<SeriesDefinition, 'name' | 'images'>;

/**
 * The images of a series: those whose own list of series leaves them in, whose sources all have a ref for it, and whose parents are in
 * it; where the series has a list of images, only those that it names and what they stand on.
 */
export function seriesMembers(all: ReadonlyMap<ImageName, ImageDefinition>, series: Series): SeriesMembers {
  const unfit = unfitImages(all, series);
  const parentsOf = (name: ImageName): Iterable<ImageName> => Object.values(all.get(name)?.parents ?? {});
  const named = series.images?.map(({ name }) => name);
  const taken = named === undefined ? undefined : closure(named, parentsOf);
  const others: Absence = {
    reason: 'the series takes other images alone',
    hint: `add it to the images of series ${series.name}${series.images?.[0] === undefined ? '' : ` (${formatPosition(series.images[0].at)})`}`,
  };
  const absent = new Map<ImageName, Absence>(
    [...all.keys()].flatMap((name) => {
      const absence = taken?.has(name) === false ? others : unfit.get(name);
      return absence === undefined ? [] : [[name, absence] as const];
    }),
  );
  const findings = [...unfit].flatMap(([name, { code, reason, hint }]) => {
    const at = absent.get(name) === others ? undefined : claimOf(all.get(name)!, series);
    const message = `the image ${name} is to be in series ${series.name}, but ${reason}`;
    return at === undefined ? [] : [new CcpError({ code, message, hint: `${hint}, or leave ${name} out`, at })];
  });
  return { images: new Map([...all].filter(([name]) => !absent.has(name))), absent, findings };
}

/** The images that cannot be in the series, whatever its list says. */
function unfitImages(all: ReadonlyMap<ImageName, ImageDefinition>, series: Series): ReadonlyMap<ImageName, Absence & { readonly code: string }> {
  const unfit = new Map<ImageName, Absence & { readonly code: string }>();
  for (const image of all.values()) {
    const absence = ownAbsence(image, series);
    if (absence !== undefined) unfit.set(image.name, { ...absence, code: 'source-no-ref' });
  }
  const edges = [...all.values()].flatMap(({ name, parents }) => Object.entries(parents).map(([role, parent]) => ({ name, role, parent })));
  const children = Map.groupBy(edges, ({ parent }) => parent);
  // The loop goes on to what is added meanwhile, so all descendants are reached.
  for (const [parent, { reason, hint }] of unfit) {
    for (const { name, role } of children.get(parent) ?? []) {
      if (!unfit.has(name)) unfit.set(name, { reason: `its ${role} ${parent} is not: ${reason}`, hint, code: 'parent-missing' });
    }
  }
  return unfit;
}

function ownAbsence(image: ImageDefinition, { name }: Series): Absence | undefined {
  const { series, sources } = image;
  if (series?.includes(name) === false)
    return { reason: `it is made for ${series.join(', ')} alone`, hint: `add "${name}" to series in ${fileToChange(image)}` };
  const without = Object.entries(sources)
    .filter(([, { refs }]) => refs[name] === undefined)
    .map(([key]) => key);
  if (without.length === 0) return undefined;
  const key = /^[a-z]/.test(name) ? name : `"${name}"`;
  const refs = without.map((source) => `${source}: { refs: { ${key}: TAG } }`).join(', ');
  return {
    reason: `its ${without.length === 1 ? 'source' : 'sources'} ${without.join(', ')} name${without.length === 1 ? 's' : ''} no ref for it`,
    hint: `write "sources: { ${refs} }" into ${fileToChange(image)}`,
  };
}

/** The file of the run's workspace that says what an image is, or what of it is changed. */
function fileToChange({ name, folder, layers }: ImageDefinition): string {
  return `images/${name}/${layers === undefined || folder.startsWith(`${layers.root}/`) ? 'image' : 'overlay'}.yaml`;
}

/** Where it is said that the image is in the series. */
function claimOf({ name, series: own, positions }: ImageDefinition, series: Series): Position | undefined {
  const named = series.images?.find((image) => image.name === name)?.at;
  const ref = Object.values(positions.refs ?? {}).flatMap((refs) => refs[series.name] ?? [])[0];
  return named ?? ref ?? (own?.includes(series.name) === true ? positions.definition : undefined);
}
