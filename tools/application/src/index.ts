export { assignLabels, listLabels, removeLabels, type HostLabels } from './hosts/labels.ts';
export { mergeValues } from './overrides/merge-values.ts';
export {
  type ChartOverrides,
  deleteOverrides,
  listOverrides,
  showOverrides,
  updateOverrides,
} from './overrides/user-overrides.ts';
export type {
  ApplicationRecord,
  ApplicationSources,
  ChartValues,
  Overrides,
} from './record/record.ts';
export { readApplications } from './record/store.ts';
export { findRecord } from './session/change.ts';
export type {
  ApplicationEngine,
  ApplicationSite,
  HostedWorkload,
  RenderApplication,
} from './session/engine.ts';
export { abortApplication } from './verbs/abort.ts';
export { applyApplication, type Applied, type ApplySteps } from './verbs/apply.ts';
export { deleteApplication, removeApplication, type Removed } from './verbs/remove.ts';
export { listApplications, showApplication, type ShownApplication } from './verbs/show.ts';
export { updateApplication } from './verbs/update.ts';
export { uploadApplication, type UploadedApplication } from './verbs/upload.ts';
