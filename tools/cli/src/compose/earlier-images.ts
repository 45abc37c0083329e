import { CcpError, nearest, omitUndefined, shortList, type ImageName } from '#core';
import { hasWork, parsePlan, type BuildPlan, type EarlierImages, type RecordedImage } from '#plan';
import { openFailures, type Failure } from '../state/failures.ts';
import { PLAN_HINT, readNamed } from '../state/named-file.ts';
import { openRecords } from '../state/records.ts';
import type { Project } from './project.ts';

/** Maximum number of images of a plan file in an error. */
const NAMED = 5;

/**
 * The images that an explanation compares with: those of the last build, or of the plan file
 * `against`. Throws the errors of `parsePlan`, and `image-unknown` if `asked` is not in the file.
 */
export function earlierImages(
  { paths, series }: Project,
  asked: ImageName,
  against: string | undefined,
): EarlierImages {
  return against === undefined
    ? { of: 'build', get: openRecords(paths, series.name).get }
    : { of: 'plan', get: planned(against, asked) };
}

/**
 * The last failure of an image, if its inputs have not changed since and it was not built since.
 */
export function lastFailure(
  project: Project,
  plan: BuildPlan,
  name: ImageName,
): Failure | undefined {
  const now = plan.images.find(({ image }) => image === name);
  const failure =
    now === undefined || !hasWork(now)
      ? undefined
      : openFailures(project.paths, plan.series).get(name);
  return failure?.fingerprint === now?.fingerprint ? failure : undefined;
}

/**
 * The images of a plan file. Throws the errors of `parsePlan`, and `image-unknown` if `asked` is
 * not in it.
 */
function planned(file: string, asked: ImageName): (image: ImageName) => RecordedImage | undefined {
  const plan = parsePlan(readNamed(file, PLAN_HINT), file);
  const images = new Map(plan.images.map(({ image, record }) => [image, record]));
  if (!images.has(asked))
    throw new CcpError({
      code: 'image-unknown',
      message: `the plan file ${file} does not contain ${asked}`,
      hint: `${nearestText(asked, [...images.keys()])}; ${PLAN_HINT}`,
    });
  return (image) => {
    const record = images.get(image);
    const details = plan.details?.[image];
    return record && { record, ...omitUndefined({ details }) };
  };
}

/** The image of a plan file with the most similar name, else its first images. */
function nearestText(asked: ImageName, held: readonly ImageName[]): string {
  const near = nearest(asked, held);
  if (near !== undefined) return `the most similar image in it is ${near}`;
  return `it contains ${shortList(held, NAMED)}`;
}
