import { CcpError, errorText, type ImageName } from '#core';
import type { Outcome } from '#build';
import { buildPlan } from './compose-build.ts';
import { checkApps, openProject, planProject, type Project } from './compose.ts';
import { imagesAtFault } from './images-at-fault.ts';
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
  /** `skipped` where nothing was done, since another image or the whole run is at fault. */
  readonly status: 'success' | 'failure' | 'skipped';
  /** The outcome in a few words, or the error as `ccp build` prints it. */
  readonly text: string;
}

/**
 * Builds images and what they stand on, for other programs (the Nx executor, tests); told in plain lines on stderr. What happens to
 * single images, those that the series lacks too, is in the result, by name. An error that ends the run is the outcome of the images
 * that it is about; one that is about none of them is raised.
 */
export async function buildImages({ root, images, series, jobs }: BuildImagesRequest): Promise<ReadonlyMap<string, ImageOutcome>> {
  const project = openProject(root, series);
  const isKnown = (image: string): boolean => project.graph.images.has(image as ImageName);
  const left = images
    .filter((image) => !isKnown(image))
    .map((image): [string, ImageOutcome] => [image, { status: 'failure', text: `${image} is not in series ${project.series.name}` }]);
  const known = images.filter(isKnown);
  if (known.length === 0) return new Map(left);
  const built = await buildKnown(project, known, jobs).catch((thrown: unknown) => faultOutcomes(thrown, known, project));
  return new Map([...left, ...built]);
}

async function buildKnown(project: Project, images: readonly string[], jobs: number | undefined): Promise<[string, ImageOutcome][]> {
  const output = processOutput({});
  const plan = await planProject(project, images, output.info, 'all');
  await checkApps(project, plan);
  const { signal, done } = interruptSignal(output.warn);
  try {
    const { result, set, setFault } = await buildPlan(project, plan, {
      output,
      emit: plainReporter(output),
      signal,
      yes: false,
      ...(jobs === undefined ? {} : { jobs }),
    });
    if (set !== undefined) setChangeLines(set).forEach(output.warn);
    if (setFault !== undefined) output.warn(`the image set stays as it was: ${setFault.message}`);
    return result.outcomes.map((outcome) => [outcome.image, outcomeOf(outcome)]);
  } finally {
    done();
  }
}

function outcomeOf(outcome: Outcome): ImageOutcome {
  if ('stored' in outcome) return { status: 'success', text: `${outcome.image}: ${outcome.type} ${outcome.stored.digest}` };
  if (outcome.type === 'blocked') return { status: 'skipped', text: `${outcome.image}: blocked by ${outcome.by.join(', ')}` };
  return { status: 'failure', text: `${outcome.image}: ${outcome.type === 'failed' ? `failed: ${outcome.fault.message}` : outcome.type}` };
}

/** Raises `thrown` where it is about none of `images`. */
function faultOutcomes(thrown: unknown, images: readonly string[], project: Project): [string, ImageOutcome][] {
  const atFault = thrown instanceof CcpError ? imagesAtFault(thrown, images, project) : [];
  if (atFault.length === 0) throw thrown;
  const text = errorText(thrown);
  return images.map((image) => [image, atFault.includes(image) ? { status: 'failure', text } : { status: 'skipped', text: `${image}: not tried` }]);
}
