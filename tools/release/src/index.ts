export { imageSetText, parseImageSet } from './image-set.ts';
export type * from './types.ts';
