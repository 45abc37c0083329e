import type { ImageName } from '#core';
import { buildPlan } from './compose-build.ts';
import { checkApps, openProject, planProject } from './compose.ts';
import { interruptSignal } from './interrupt.ts';
import { processOutput } from './output.ts';
import { plainReporter } from './reporters/plain.ts';
import { setChangeLines } from './set-change.ts';

export interface BuildImagesRequest {
  /** Absolute path of the repository. */
  readonly root: string;
  readonly images: readonly string[];
  readonly series?: string;
  readonly jobs?: number;
}

export interface ImageOutcome {
  readonly success: boolean;
  /** The outcome in a few words. */
  readonly text: string;
}

/**
 * Builds images and what they stand on, for other programs (the Nx executor, tests); told in plain lines on stderr. Raises
 * what planning, fetching and opening raise; what happens to single images, those that the series lacks too, is in the result, by
 * name.
 */
export async function buildImages({ root, images, series, jobs }: BuildImagesRequest): Promise<ReadonlyMap<string, ImageOutcome>> {
  const output = processOutput({});
  const project = openProject(root, series);
  const isKnown = (image: string): boolean => project.graph.images.has(image as ImageName);
  const left = images.filter((image) => !isKnown(image)).map((image): [string, ImageOutcome] => [image, { success: false, text: `is not in series ${project.series.name}` }]);
  if (left.length > 0 && left.length === images.length) return new Map(left);
  const plan = await planProject(project, images.filter(isKnown), output.info);
  checkApps(project, plan);
  const { signal, done } = interruptSignal(output.warn);
  try {
    const report = plainReporter(output);
    const { result, set } = await buildPlan(project, plan, { output, emit: report, signal, yes: false, ...(jobs === undefined ? {} : { jobs }) });
    if (set !== undefined) setChangeLines(set).forEach(output.warn);
    return new Map([
      ...left,
      ...result.outcomes.map((outcome): [string, ImageOutcome] => [
        outcome.image as string,
        {
          success: 'stored' in outcome,
          text: outcome.type === 'failed' ? `failed: ${outcome.fault.message}` : 'stored' in outcome ? `${outcome.type} ${outcome.stored.digest}` : outcome.type,
        },
      ]),
    ]);
  } finally {
    done();
  }
}
