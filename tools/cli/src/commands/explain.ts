import { CcpError, imageName, nearest, type ImageName } from '#core';
import { explainImage, explanationText, hasWork, parsePlan, type EarlierImages, type BuildPlan, type RecordedImage } from '#plan';
import { openProject, planProject, type Project } from '../compose.ts';
import { definitionOf } from '../compose-inputs.ts';
import { detailsOf } from '../details.ts';
import { MAKE_PLAN, readNamed } from '../named-file.ts';
import { originLines, overlayOrigins } from '../overlay-origins.ts';
import type { CommandContext } from '../program.ts';
import { openFailures, type Failure } from '../state/failures.ts';
import { openRecords } from '../state/records.ts';

/** How many images of a plan file an error names. */
const NAMED = 5;

export interface ExplainFlags {
  readonly against?: string;
}

/** `ccp explain IMAGE`: the inputs that differ from the last build, or from a plan file; in an overlay, where its values stand too. */
export async function explain({ root, output, flags }: CommandContext, [name = '']: readonly string[], { against }: ExplainFlags): Promise<number> {
  const project = openProject(root, flags.series);
  const plan = await planProject(project, [name], output.info, 'all');
  const before: EarlierImages =
    against === undefined ? { of: 'build', get: openRecords(project.paths, project.series.name).get } : { of: 'plan', get: planned(against, imageName(name)) };
  const explanation = explainImage(plan, imageName(name), before, (image) => detailsOf(project, image));
  const origins = overlayOrigins(definitionOf(project, imageName(name)), project.series);
  const failure = failureOf(project, plan, imageName(name));
  const text = [explanationText(explanation), ...failureLines(failure), ...originLines(name, origins)].join('\n');
  output.result(text, { ...explanation, ...(failure === undefined ? {} : { failure }), ...(origins.length === 0 ? {} : { origins }) });
  return 0;
}

/** How the last attempt at an image failed, where it was at the image as it is now and nothing has come of it since. */
function failureOf(project: Project, plan: BuildPlan, name: ImageName): Failure | undefined {
  const now = plan.images.find(({ image }) => image === name);
  const failure = now === undefined || !hasWork(now) ? undefined : openFailures(project.paths, plan.series).get(name);
  return failure?.fingerprint === now?.fingerprint ? failure : undefined;
}

function failureLines(failure: Failure | undefined): readonly string[] {
  if (failure === undefined) return [];
  const { message, log } = failure;
  return [`it failed when it was last tried: ${message.replaceAll('\n', '\n  ')}`, ...(log === undefined ? [] : [`  log: ${log}`])];
}

/** The images of a plan file. Raises what `parsePlan` raises, and `image-unknown` where it does not hold the image that is asked about. */
function planned(file: string, asked: ImageName): (image: ImageName) => RecordedImage | undefined {
  const plan = parsePlan(readNamed(file, MAKE_PLAN), file);
  const images = new Map(plan.images.map(({ image, record }) => [image, record]));
  if (!images.has(asked))
    throw new CcpError({
      code: 'image-unknown',
      message: `the plan file ${file} does not hold ${asked}`,
      hint: `${heldText(asked, [...images.keys()])}; ${MAKE_PLAN}`,
    });
  return (image) => {
    const record = images.get(image);
    const details = plan.details?.[image];
    return record && { record, ...(details === undefined ? {} : { details }) };
  };
}

/** What a plan file holds instead: the image that is nearest by its name, else the first few. */
function heldText(asked: ImageName, held: readonly ImageName[]): string {
  const near = nearest(asked, held);
  if (near !== undefined) return `the nearest that it holds is ${near}`;
  const more = held.length - NAMED;
  return `it holds ${held.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
