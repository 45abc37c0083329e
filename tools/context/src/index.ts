export { describeInputs, type SharedTemplates } from './listing/describe-inputs.ts';
export { listContext } from './listing/list-context.ts';
export { patchFault } from './listing/patch-fault.ts';
export {
  derivedKeysOf,
  lockedFilesOf,
  lockedGitSources,
  sourceIdentity,
} from './listing/sources.ts';
export { writeContext } from './on-demand.ts';
export { locateStep } from './templates/locate-step.ts';
export { renderDockerfile } from './templates/render-dockerfile.ts';
export { parentArg } from './templates/template-context.ts';
export type { FileRecord, ImageInputs, SourceOrigin } from './types.ts';
