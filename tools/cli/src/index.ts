export { buildImages, type BuildImagesRequest, type ImageOutcome } from './compose/build-images.ts';
