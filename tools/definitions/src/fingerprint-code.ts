/**
 * Folders of the tool's repository whose code computes fingerprints. A change there can change
 * every fingerprint; a test compares the list with the imports.
 */
export const FINGERPRINT_CODE: readonly string[] = [
  'tools/core/src',
  'tools/host/src',
  'tools/formats/src',
  'tools/ports/src',
  'tools/definitions/src',
  'tools/definitions/schemas',
  'tools/graph/src',
  'tools/locks/src',
  'tools/fetch/src',
  'tools/context/src',
  'tools/plan/src',
  'tools/cli/src/compose',
];
