import { CcpError, omitUndefined, type ImageName } from '#core';
import { differences, differenceText } from './differences.ts';
import { hasWork } from './plan-build.ts';
import { hasReason, reasonText } from './reasons.ts';
import type { BuildPlan, Difference, ImageDetails, PlannedImage, RecordedImage } from './types.ts';

/**
 * The differences of an image to an earlier one; those of parents have the parent's explanation.
 */
export interface ImageExplanation {
  readonly image: ImageName;
  /**
   * Compared with the last build: `new` if there was none; with equal inputs `lost` if the image is
   * not in the store, `damaged` if it is damaged there, `retested` if only its tests changed,
   * `untested` if no result of its tests is known. Compared with a plan: `added` if the image is
   * not in that plan.
   */
  readonly state:
    'unchanged' | 'new' | 'changed' | 'lost' | 'damaged' | 'retested' | 'untested' | 'added';
  readonly differences: readonly {
    readonly difference: Difference;
    readonly because?: ImageExplanation;
  }[];
}

/** The images to compare a plan with: of the last builds, or of another plan. */
export interface EarlierImages {
  readonly of: 'build' | 'plan';
  readonly get: (image: ImageName) => RecordedImage | undefined;
}

/**
 * Compares an image of a plan with an earlier one. Throws `image-unknown` if it is not in the plan.
 */
export function explainImage(
  plan: BuildPlan,
  image: ImageName,
  before: EarlierImages,
  detailsOf: (image: ImageName) => ImageDetails | undefined,
): ImageExplanation {
  // A stored image needs no build, even if the last build had other inputs.
  const planned = plan.images.find((each) => each.image === image);
  if (planned !== undefined && before.of === 'build' && planned.action !== 'build')
    return { image, state: stateOnDisk(planned), differences: [] };
  return explainDifference(plan, image, before, detailsOf);
}

function explainDifference(
  plan: BuildPlan,
  image: ImageName,
  before: EarlierImages,
  detailsOf: (image: ImageName) => ImageDetails | undefined,
): ImageExplanation {
  const planned = plan.images.find((each) => each.image === image);
  if (planned === undefined)
    throw new CcpError({ code: 'image-unknown', message: `image ${image} is not in the plan` });
  const previous = before.get(image);
  if (previous === undefined)
    return {
      image,
      state: before.of === 'plan' ? 'added' : stateUnrecorded(planned),
      differences: [],
    };
  const equal = before.of === 'plan' ? 'unchanged' : stateOnDisk(planned);
  const details = detailsOf(image);
  const found = differences(previous, {
    record: planned.record,
    ...omitUndefined({ details }),
  });
  if (found.length === 0) return { image, state: equal, differences: [] };
  return {
    image,
    state: 'changed',
    differences: found.map((difference) => {
      const parent = difference.input === 'parent' ? planned.parents[difference.name] : undefined;
      if (parent === undefined) return { difference };
      const because = explainDifference(plan, parent, before, detailsOf);
      const isExplained = because.state !== 'unchanged' || before.of === 'build';
      return {
        difference: { ...difference, image: parent } as Difference,
        ...(isExplained ? { because } : {}),
      };
    }),
  };
}

function stateOnDisk(
  planned: PlannedImage,
): 'lost' | 'damaged' | 'retested' | 'untested' | 'unchanged' {
  if (planned.action === 'build') return hasReason(planned.reasons, 'damaged') ? 'damaged' : 'lost';
  if (!hasWork(planned)) return 'unchanged';
  return hasReason(planned.reasons, 'untested') ? 'untested' : 'retested';
}

/** The state of an image without a recorded build: if it is not stored, it is new, not lost. */
function stateUnrecorded(
  planned: PlannedImage,
): 'new' | 'damaged' | 'retested' | 'untested' | 'unchanged' {
  const state = stateOnDisk(planned);
  return state === 'lost' ? 'new' : state;
}

/** An explanation as text: an indented list. */
export function explanationText(explanation: ImageExplanation, indent = ''): string {
  if (explanation.state === 'unchanged') return `${indent}${explanation.image}: nothing changed`;
  if (explanation.state === 'retested')
    return `${indent}${explanation.image}: only its tests changed`;
  if (explanation.state === 'new')
    return `${indent}${explanation.image}: ${reasonText({ kind: 'not-built' })}`;
  if (
    explanation.state === 'untested' ||
    explanation.state === 'lost' ||
    explanation.state === 'damaged'
  )
    return `${indent}${explanation.image}: nothing changed, but ${reasonText({ kind: explanation.state })}`;
  if (explanation.state === 'added')
    return `${indent}${explanation.image}: not in the earlier plan`;
  const lines = [`${indent}${explanation.image} changed:`];
  for (const { difference, because } of explanation.differences) {
    lines.push(`${indent}  - ${differenceText(difference)}`);
    if (because !== undefined) lines.push(parentText(explanation.image, because, `${indent}    `));
  }
  return lines.join('\n');
}

/** An unchanged parent that differs from the child's record was built after the child. */
function parentText(child: ImageName, parent: ImageExplanation, indent: string): string {
  if (!['unchanged', 'retested', 'untested'].includes(parent.state))
    return explanationText(parent, indent);
  return `${indent}${parent.image}: built after ${child}`;
}
