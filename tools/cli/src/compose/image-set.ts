import { CcpError, mapRecord, omitUndefined } from '#core';
import { hasWork, type BuildPlan } from '#plan';
import type { ImageStore } from '#ports';
import { imageSetText, parseImageSet, type ImageSet, type ImageSetEntry } from '#release';
import { readIfThere, writeAtomically } from '../state/files.ts';
import { readNamed } from '../state/named-file.ts';
import { expectationsKey } from './definition-expectations.ts';
import { definitionOf, plannedLock } from './inputs.ts';
import type { Project } from './project.ts';
import { setAppSpecs } from './set-app-specs.ts';
import { setOverrides } from './set-overrides.ts';

/**
 * The manifest of every planned image that is stored and passed its current tests, and whose
 * ancestors did too.
 */
export function imageSetOf(
  project: Project,
  plan: BuildPlan,
  store: Pick<ImageStore, 'byFingerprint'>,
): ImageSet {
  const apps = setAppSpecs(
    project,
    plan.images.map(({ image }) => image),
  );
  const stored = new Map(
    plan.images.map(({ image, fingerprint }) => [image, store.byFingerprint(fingerprint)]),
  );
  const untested = new Set(plan.images.filter(hasWork).map(({ image }) => image));
  const whole = plan.images.filter(({ image }) =>
    [image, ...project.graph.ancestors(image)].every(
      (each) => stored.get(each) !== undefined && !untested.has(each),
    ),
  );
  const images = whole.map((planned): ImageSetEntry => {
    const { digest, size, compressedSize, contentKey } = stored.get(planned.image)!;
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
      sources: mapRecord(sources, ({ repository, commit, version }) => ({
        repository,
        commit,
        version,
      })),
      packages: {
        debian,
        python: { ...python },
        ...(go === undefined ? {} : { go: { ...go } }),
        ...(npm === undefined ? {} : { npm: { ...npm } }),
      },
      parents: planned.parents,
      contentKey,
      tests: expectationsKey(definition),
      ...omitUndefined({ app: apps.get(planned.image) }),
    };
  });
  return {
    format: 2,
    series: plan.series,
    platform: plan.platform,
    ...setOverrides(project.series),
    images,
  };
}

/** Writes the set as the last one of its series; returns the path. */
export function keepImageSet(project: Project, set: ImageSet): string {
  const path = project.paths.imageSet(set.series);
  writeAtomically(path, imageSetText(set));
  return path;
}

/**
 * The set of the series' last build; undefined if missing or unreadable: the next build writes it
 * again.
 */
export function earlierImageSet(project: Project): ImageSet | undefined {
  try {
    const path = project.paths.imageSet(project.series.name);
    return parseImageSet(readIfThere(path) ?? '', path);
  } catch (thrown) {
    if (thrown instanceof CcpError) return undefined;
    throw thrown;
  }
}

/**
 * The set of the series' last build. Throws `image-set-missing` if it does not exist; its hint says
 * how the command reads another set.
 */
export function lastImageSet(
  project: Project,
  otherwise = 'name an image set file with --set',
): ImageSet {
  const path = project.paths.imageSet(project.series.name);
  const text = readIfThere(path);
  if (text === undefined) {
    throw new CcpError({
      code: 'image-set-missing',
      message: `no image set of series ${project.series.name} was built in this workspace`,
      hint: `run \`ccp build --series ${project.series.name}\`, or ${otherwise}`,
    });
  }
  return parseImageSet(text, path);
}

/** The image set of a manifest file. Throws the errors of `readNamed` and `parseImageSet`. */
export function readImageSet(file: string): ImageSet {
  return parseImageSet(readNamed(file, 'use an image set file that `ccp build` wrote'), file);
}
