import type { BuildEvent, Outcome } from '#build';
import { CcpError, errorText, omitUndefined, type ImageName } from '#core';
import { processOutput } from '../report/output.ts';
import { plainReporter } from '../report/plain.ts';
import { setChangeLines } from '../report/set-change.ts';
import { buildPlan } from './build.ts';
import { chosenSeries, isManySeries } from './chosen-series.ts';
import { imagesAtFault } from './images-at-fault.ts';
import { interruptSignal } from './interrupt.ts';
import { checkApps, openProject, planProject } from './plan.ts';
import { planRetest } from './plan-retest.ts';
import type { Project } from './project.ts';

export interface BuildImagesRequest {
  /** Absolute path of the repository. */
  readonly root: string;
  readonly images: readonly string[];
  readonly series?: string;
  readonly jobs?: number;
  /** Also run the tests of the images if they have passed. */
  readonly retest?: boolean;
}

export interface ImageOutcome {
  /**
   * `skipped` if the image was not built because of another image or a failure of the whole run.
   */
  readonly status: 'success' | 'failure' | 'skipped';
  /** The outcome in a few words, or the error as `ccp build` prints it. */
  readonly text: string;
  /** Time of its own builds and tests, in milliseconds; 0 if nothing ran. */
  readonly milliseconds: number;
  /** The end of its last build or test, in milliseconds since the epoch; absent if nothing ran. */
  readonly endedAt?: number;
}

/**
 * Builds images and their ancestors for other programs (the Nx executor, tests), with plain
 * progress lines on stderr. `series` can name several series, or `all`. The result has an outcome
 * for every requested image, unknown ones included; an image that a series does not have is passed
 * over there. An error that stops the run becomes the outcome of the images it concerns; other
 * errors are thrown.
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
  return {
    status: worst ?? 'success',
    text: `${one.text}\n${other.text}`,
    milliseconds: one.milliseconds + other.milliseconds,
    ...omitUndefined({ endedAt: other.endedAt ?? one.endedAt }),
  };
}

async function buildSeries({
  root,
  images,
  series,
  jobs,
  retest = false,
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
          ? {
              status: 'failure',
              milliseconds: 0,
              text: `unknown image: series ${name} has no image ${image}`,
            }
          : {
              status: 'success',
              milliseconds: 0,
              text: `${image}: passed over, since it is not in series ${name}: ${absence.reason}`,
            },
      ];
    });
  const known = images.filter(isKnown);
  if (known.length === 0) return new Map(left);
  const built = await buildKnown(project, known, { jobs, retest }).catch((thrown: unknown) =>
    faultOutcomes(thrown, known, project),
  );
  return new Map([...left, ...built]);
}

async function buildKnown(
  project: Project,
  images: readonly string[],
  { jobs, retest }: { readonly jobs: number | undefined; readonly retest: boolean },
): Promise<[string, ImageOutcome][]> {
  const output = processOutput({});
  const plan = retest ? planRetest(project, images) : planProject(project, images, 'all');
  await checkApps(project, plan);
  const { signal, done } = interruptSignal(output.warn);
  const report = plainReporter(output);
  const times = imageTimes();
  try {
    const { result, set, setFault } = await buildPlan(project, plan, {
      output,
      emit: (event) => {
        times.add(event);
        report(event);
      },
      signal,
      yes: false,
      ...omitUndefined({ jobs }),
    });
    if (set !== undefined) setChangeLines(set).forEach(output.warn);
    if (setFault !== undefined) output.warn(`the image set was not changed: ${setFault.message}`);
    return result.outcomes.map((outcome) => [
      outcome.image,
      { ...outcomeOf(outcome), ...times.of(outcome.image) },
    ]);
  } finally {
    done();
  }
}

/** The times of images by the events of a run. */
function imageTimes(): {
  add(event: BuildEvent): void;
  of(image: ImageName): Pick<ImageOutcome, 'milliseconds' | 'endedAt'>;
} {
  const started = new Map<ImageName, number>();
  const ended = new Map<ImageName, number>();
  return {
    add: (event) => {
      if (event.type === 'image-started') started.set(event.image, event.at);
      if (event.type === 'image-finished') ended.set(event.outcome.image, event.at);
    },
    of: (image) => {
      const [start, endedAt] = [started.get(image), ended.get(image)];
      return start === undefined || endedAt === undefined
        ? { milliseconds: 0 }
        : { milliseconds: endedAt - start, endedAt };
    },
  };
}

function outcomeOf(outcome: Outcome): Pick<ImageOutcome, 'status' | 'text'> {
  if ('stored' in outcome)
    return {
      status: 'success',
      text: `${outcome.image}: ${outcome.type} ${outcome.stored.digest}`,
    };
  if (outcome.type === 'blocked')
    return {
      status: 'skipped',
      text: `${outcome.image}: blocked by ${outcome.by.join(', ')}`,
    };
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
      ? { status: 'failure', milliseconds: 0, text }
      : { status: 'skipped', milliseconds: 0, text: `${image}: not built` },
  ]);
}
