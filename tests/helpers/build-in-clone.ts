import { storePlannedImages } from './store-planned-images.ts';

// Run by the program `ccp` of a test's clone instead of a build, with the folder of the workspace.
await storePlannedImages(process.argv[2]!, {}, process.env['CCP_TEST_CONTENT']);
