export {
  affectedImages,
  removedImages,
  type AffectedImage,
  type ImageState,
  type SeriesState,
} from './affected.ts';
export {
  explainImage,
  explanationText,
  type EarlierImages,
  type ImageExplanation,
} from './explain.ts';
export {
  BUILD_SEMANTICS,
  contentKey,
  fingerprintOf,
  inputRecord,
  versionOf,
} from './fingerprint.ts';
export { hasWork, planBuild, type PlanRequest } from './plan-build.ts';
export { hasReason, reasonText } from './reasons.ts';
export { parsePlan, planDocument, planText } from './plan-file.ts';
export type * from './types.ts';
