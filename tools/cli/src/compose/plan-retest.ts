import type { BuildPlan } from '#plan';
import { openPassedTests } from '../state/passed-tests.ts';
import { planProject } from './plan.ts';
import type { Project } from './project.ts';

/**
 * A plan that also runs the tests of the named images, or of all images, if they have passed
 * already: it forgets that they have. Throws the errors of `planProject`.
 */
export function planRetest(project: Project, names: readonly string[]): BuildPlan {
  const plan = planProject(project, names, 'all');
  const passed = openPassedTests(project.paths, plan.series);
  for (const { image, digest } of plan.images)
    if (digest !== undefined && (names.length === 0 || names.includes(image)))
      passed.remove(image, digest);
  return planProject(project, names, 'all');
}
