export { setAppSpec } from './app-spec-artifact.ts';
export { imageSetText, parseImageSet } from './image-set.ts';
export type * from './types.ts';
