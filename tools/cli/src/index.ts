export { buildImages, type BuildImagesRequest, type ImageOutcome } from './build-images.ts';
export { errorText } from './output.ts';
