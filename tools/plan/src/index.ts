export { explainImage, explanationText, type EarlierImages, type Explanation } from './explain.ts';
export { BUILD_SEMANTICS, contentKey, fingerprintOf, imageRecord, versionOf } from './fingerprint.ts';
export { DAMAGED, hasWork, LOST, NOT_BUILT, planBuild, UNTESTED, type PlanRequest } from './plan-build.ts';
export { parsePlan, planText } from './plan-file.ts';
export type * from './types.ts';
