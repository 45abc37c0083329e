import { imageName, type ImageName } from '#core';
import { explainImage, explanationText, parsePlan, type RecordedImage } from '#plan';
import { openProject, planProject } from '../compose.ts';
import { definitionOf } from '../compose-inputs.ts';
import { detailsOf } from '../details.ts';
import { MAKE_PLAN, readNamed } from '../named-file.ts';
import { originLines, overlayOrigins } from '../overlay-origins.ts';
import type { CommandContext } from '../program.ts';
import { openRecords } from '../state/records.ts';

export interface ExplainFlags {
  readonly against?: string;
}

/** `ccp explain IMAGE`: the inputs that differ from the last build, or from a plan file; in an overlay, where its values stand too. */
export async function explain({ root, output, flags }: CommandContext, [name = '']: readonly string[], { against }: ExplainFlags): Promise<number> {
  const project = openProject(root, flags.series);
  const plan = await planProject(project, [name], output.info);
  const previous = against === undefined ? openRecords(project.paths, project.series.name).get : planned(against);
  const explanation = explainImage(plan, imageName(name), previous, (image) => detailsOf(project, image));
  const origins = overlayOrigins(definitionOf(project, imageName(name)), project.series);
  const text = [explanationText(explanation), ...originLines(name, origins)].join('\n');
  output.result(text, origins.length === 0 ? explanation : { ...explanation, origins });
  return 0;
}

function planned(file: string): (image: ImageName) => RecordedImage | undefined {
  const plan = parsePlan(readNamed(file, MAKE_PLAN), file);
  const images = new Map(plan.images.map(({ image, record }) => [image, record]));
  return (image) => {
    const record = images.get(image);
    const details = plan.details?.[image];
    return record && { record, ...(details === undefined ? {} : { details }) };
  };
}
