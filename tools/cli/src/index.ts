export { buildImages, type BuildImagesRequest, type ImageOutcome } from './compose/build-images.ts';
export { moveImage, renameEdits, type FileEdits } from './compose/rename-image.ts';
