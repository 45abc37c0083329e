import { imageSetText, parseImageSet, type ImageSet, type ImageSetEntry } from '#release';
import type { ImageStore } from '#ports';
import { CcpError, mapRecord } from '#core';
import { hasWork, type BuildPlan } from '#plan';
import { definitionOf, plannedLock } from './compose-inputs.ts';
import type { Project } from './compose.ts';
import { readNamed } from './named-file.ts';
import { setOverrides } from './set-overrides.ts';
import { readIfThere, writeAtomically } from './state/files.ts';

/** The manifest of every image of a plan that is stored as it is defined now, passed its tests as they are now, and whose parents did. */
export function imageSetOf(project: Project, plan: BuildPlan, store: Pick<ImageStore, 'byFingerprint'>): ImageSet {
  const stored = new Map(plan.images.map(({ image, fingerprint }) => [image, store.byFingerprint(fingerprint)]));
  const untested = new Set(plan.images.filter(hasWork).map(({ image }) => image));
  const whole = plan.images.filter(({ image }) =>
    [image, ...project.graph.ancestors(image)].every((each) => stored.get(each) !== undefined && !untested.has(each)),
  );
  const images = whole.map((planned): ImageSetEntry => {
    const { digest, size, compressedSize } = stored.get(planned.image)!;
    const definition = definitionOf(project, planned.image);
    const { sources } = plannedLock(project, planned.record, plan.origin);
    const { debian, python, go, npm } = planned.record;
    return {
      name: planned.image,
      version: planned.version,
      fingerprint: planned.fingerprint,
      digest,
      size,
      compressedSize,
      shipped: definition.shipped,
      ...(planned.record.unlocked ? { unlocked: true } : {}),
      sources: mapRecord(sources, ({ repository, commit, version }) => ({ repository, commit, version })),
      packages: { debian, python: { ...python }, ...(go === undefined ? {} : { go: { ...go } }), ...(npm === undefined ? {} : { npm: { ...npm } }) },
      parents: planned.parents,
    };
  });
  return { format: 1, series: plan.series, platform: plan.platform, ...setOverrides(project.series), images };
}

/** Keeps the set as the series' last one; the result is its path. */
export function keepImageSet(project: Project, set: ImageSet): string {
  const path = project.paths.imageSet(set.series);
  writeAtomically(path, imageSetText(set));
  return path;
}

/** The set that the series' last build wrote; undefined where there is none that can be read, since the next build writes it anew. */
export function earlierImageSet(project: Project): ImageSet | undefined {
  try {
    const path = project.paths.imageSet(project.series.name);
    return parseImageSet(readIfThere(path) ?? '', path);
  } catch (thrown) {
    if (thrown instanceof CcpError) return undefined;
    throw thrown;
  }
}

/** The set of the series' last build. Raises `image-set-missing` where there is none. */
export function lastImageSet(project: Project): ImageSet {
  const path = project.paths.imageSet(project.series.name);
  const text = readIfThere(path);
  if (text === undefined) {
    throw new CcpError({
      code: 'image-set-missing',
      message: `no image set of ${project.series.name} is built in this workspace`,
      hint: `run \`ccp build --series ${project.series.name}\`, or name a manifest with --set`,
    });
  }
  return parseImageSet(text, path);
}

/** The image set of a manifest file. Raises what `readNamed` and `parseImageSet` raise. */
export function readImageSet(file: string): ImageSet {
  return parseImageSet(readNamed(file, 'name the manifest that `ccp build` wrote'), file);
}
