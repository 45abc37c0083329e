export { buildImages, type BuildImagesRequest, type ImageOutcome } from './build-images.ts';
