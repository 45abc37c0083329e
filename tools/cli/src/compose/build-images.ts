import type { Outcome } from '#build';
import { CcpError, errorText, omitUndefined, type ImageName } from '#core';
import { processOutput } from '../report/output.ts';
import { plainReporter } from '../report/plain.ts';
import { setChangeLines } from '../report/set-change.ts';
import { buildPlan } from './build.ts';
import { chosenSeries, isManySeries } from './chosen-series.ts';
import { imagesAtFault } from './images-at-fault.ts';
import { interruptSignal } from './interrupt.ts';
import { checkApps, openProject, planProject } from './plan.ts';
import type { Project } from './project.ts';

export interface BuildImagesRequest {
  /** Absolute path of the repository. */
  readonly root: string;
  readonly images: readonly string[];
  readonly series?: string;
  readonly jobs?: number;
}

export interface ImageOutcome {
  /**
   * `skipped` if the image was not built because of another image or a failure of the whole run.
   */
  readonly status: 'success' | 'failure' | 'skipped';
  /** The outcome in a few words, or the error as `ccp build` prints it. */
  readonly text: string;
}

/**
 * Builds images and their ancestors for other programs (the Nx executor, tests), with plain progress
 * lines on stderr. `series` can name several series, or `all`. The result has an outcome for every
 * requested image, unknown ones included; an image that a series does not have is passed over there.
 * An error that stops the run becomes the outcome of the images it concerns; other errors are thrown.
 */
export async function buildImages(
  request: BuildImagesRequest,
): Promise<ReadonlyMap<string, ImageOutcome>> {
  const { root, series } = request;
  if (!isManySeries(series)) return buildSeries(request);
  const outcomes = new Map<string, ImageOutcome>();
  for (const each of chosenSeries(series, openProject(root, undefined))) {
    for (const [image, outcome] of await buildSeries({ ...request, series: each })) {
      const earlier = outcomes.get(image);
      outcomes.set(image, earlier === undefined ? outcome : joined(earlier, outcome));
    }
  }
  return outcomes;
}

/** The outcome of one image in several series: the worst one, with all texts. */
function joined(one: ImageOutcome, other: ImageOutcome): ImageOutcome {
  const statuses = [one.status, other.status];
  const worst = (['failure', 'skipped'] as const).find((status) => statuses.includes(status));
  return { status: worst ?? 'success', text: `${one.text}\n${other.text}` };
}

async function buildSeries({
  root,
  images,
  series,
  jobs,
}: BuildImagesRequest): Promise<ReadonlyMap<string, ImageOutcome>> {
  const project = openProject(root, series);
  const isKnown = (image: string): boolean => project.graph.images.has(image as ImageName);
  const left = images
    .filter((image) => !isKnown(image))
    .map((image): [string, ImageOutcome] => {
      const absence = project.graph.absent.get(image as ImageName);
      const { name } = project.series;
      return [
        image,
        absence === undefined
          ? { status: 'failure', text: `unknown image: series ${name} has no image ${image}` }
          : {
              status: 'success',
              text: `${image}: passed over, since it is not in series ${name}: ${absence.reason}`,
            },
      ];
    });
  const known = images.filter(isKnown);
  if (known.length === 0) return new Map(left);
  const built = await buildKnown(project, known, jobs).catch((thrown: unknown) =>
    faultOutcomes(thrown, known, project),
  );
  return new Map([...left, ...built]);
}

async function buildKnown(
  project: Project,
  images: readonly string[],
  jobs: number | undefined,
): Promise<[string, ImageOutcome][]> {
  const output = processOutput({});
  const plan = planProject(project, images, 'all');
  await checkApps(project, plan);
  const { signal, done } = interruptSignal(output.warn);
  try {
    const { result, set, setFault } = await buildPlan(project, plan, {
      output,
      emit: plainReporter(output),
      signal,
      yes: false,
      ...omitUndefined({ jobs }),
    });
    if (set !== undefined) setChangeLines(set).forEach(output.warn);
    if (setFault !== undefined) output.warn(`the image set was not changed: ${setFault.message}`);
    return result.outcomes.map((outcome) => [outcome.image, outcomeOf(outcome)]);
  } finally {
    done();
  }
}

function outcomeOf(outcome: Outcome): ImageOutcome {
  if ('stored' in outcome)
    return {
      status: 'success',
      text: `${outcome.image}: ${outcome.type} ${outcome.stored.digest}`,
    };
  if (outcome.type === 'blocked')
    return { status: 'skipped', text: `${outcome.image}: blocked by ${outcome.by.join(', ')}` };
  return {
    status: 'failure',
    text: `${outcome.image}: ${outcome.type === 'failed' ? `failed: ${outcome.fault.message}` : outcome.type}`,
  };
}

/** Throws `thrown` if it concerns none of `images`. */
function faultOutcomes(
  thrown: unknown,
  images: readonly string[],
  project: Project,
): [string, ImageOutcome][] {
  const atFault = thrown instanceof CcpError ? imagesAtFault(thrown, images, project) : [];
  if (atFault.length === 0) throw thrown;
  const text = errorText(thrown);
  return images.map((image) => [
    image,
    atFault.includes(image)
      ? { status: 'failure', text }
      : { status: 'skipped', text: `${image}: not built` },
  ]);
}
