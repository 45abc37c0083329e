import { CcpError, type ImageName, imageName, nearest, omitUndefined, shortList } from '#core';
import {
  explainImage,
  explanationText,
  hasWork,
  parsePlan,
  type EarlierImages,
  type BuildPlan,
  type RecordedImage,
} from '#plan';
import type { CommandContext } from '../command.ts';
import { detailsOf } from '../compose/details.ts';
import { definitionOf } from '../compose/inputs.ts';
import { originLines, overlayOrigins } from '../compose/overlay-origins.ts';
import { openProject, planProject } from '../compose/plan.ts';
import type { Project } from '../compose/project.ts';
import { openFailures, type Failure } from '../state/failures.ts';
import { PLAN_HINT, readNamed } from '../state/named-file.ts';
import { openRecords } from '../state/records.ts';

/** Maximum number of images of a plan file in an error. */
const NAMED = 5;

export interface ExplainFlags {
  readonly against?: string;
}

/**
 * `ccp explain IMAGE`: the inputs that differ from the last build, or from a plan file; in an
 * overlay, also the origins of its values.
 */
export async function explain(
  { root, output, flags }: CommandContext,
  [name = '']: readonly string[],
  { against }: ExplainFlags,
): Promise<number> {
  const project = openProject(root, flags.series);
  const plan = await planProject(project, [name], output.info, 'all');
  const before: EarlierImages =
    against === undefined
      ? { of: 'build', get: openRecords(project.paths, project.series.name).get }
      : { of: 'plan', get: planned(against, imageName(name)) };
  const explanation = explainImage(plan, imageName(name), before, (image) =>
    detailsOf(project, image),
  );
  const origins = overlayOrigins(definitionOf(project, imageName(name)), project.series);
  const failure = failureOf(project, plan, imageName(name));
  const text = [
    explanationText(explanation),
    ...failureLines(failure),
    ...originLines(name, origins),
  ].join('\n');
  output.result(text, {
    ...explanation,
    ...omitUndefined({ failure }),
    ...(origins.length === 0 ? {} : { origins }),
  });
  return 0;
}

/**
 * The last failure of an image, if its inputs have not changed since and it was not built since.
 */
function failureOf(project: Project, plan: BuildPlan, name: ImageName): Failure | undefined {
  const now = plan.images.find(({ image }) => image === name);
  const failure =
    now === undefined || !hasWork(now)
      ? undefined
      : openFailures(project.paths, plan.series).get(name);
  return failure?.fingerprint === now?.fingerprint ? failure : undefined;
}

function failureLines(failure: Failure | undefined): readonly string[] {
  if (failure === undefined) return [];
  const { message, log } = failure;
  return [
    `the last build failed: ${message.replaceAll('\n', '\n  ')}`,
    ...(log === undefined ? [] : [`  log: ${log}`]),
  ];
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
