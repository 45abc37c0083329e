import { CcpError } from '#core';
import type { PlannedImage } from '#plan';
import { ignoredFileLines } from './ignored-files.ts';
import { indexDifferences } from './index-differences.ts';
import type { Project } from './project.ts';

/**
 * Reasons why a clone of the commit gets other fingerprints than this checkout. Starts git twice.
 * Throws `tool-missing` or `machine-git` if git cannot read the repository, so the check cannot be
 * made.
 */
export function checkoutLines(
  project: Project,
  images: readonly PlannedImage[],
): readonly string[] {
  return [...ignoredFileLines(project, images), ...indexDifferences(project, images)];
}

/**
 * These reasons for the images that a plan builds, or a line that says why they are not known; git
 * does not start if it builds none.
 */
export function checkoutWarnings(
  project: Project,
  images: readonly PlannedImage[],
): readonly string[] {
  const built = images.filter(({ action }) => action === 'build');
  if (built.length === 0) return [];
  try {
    return checkoutLines(project, built);
  } catch (thrown) {
    if (!(thrown instanceof CcpError)) throw thrown;
    return [
      `not checked that a clone gets the same fingerprints: ${thrown.message}; ${thrown.hint}`,
    ];
  }
}
