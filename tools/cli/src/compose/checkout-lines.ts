import type { PlannedImage } from '#plan';
import { ignoredFileLines } from './ignored-files.ts';
import { indexDifferences } from './index-differences.ts';
import type { Project } from './project.ts';

/**
 * Reasons why a clone of the commit gets other fingerprints than this checkout. Starts git twice.
 */
export function checkoutLines(
  project: Project,
  images: readonly PlannedImage[],
): readonly string[] {
  return [...ignoredFileLines(project, images), ...indexDifferences(project, images)];
}

/** These reasons for the images that a plan builds; git does not start if it builds none. */
export function checkoutWarnings(
  project: Project,
  images: readonly PlannedImage[],
): readonly string[] {
  const built = images.filter(({ action }) => action === 'build');
  return built.length === 0 ? [] : checkoutLines(project, built);
}
