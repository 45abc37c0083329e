import { CcpError, type Position } from '#core';

/** Format version of app specs and sites that this tool supports. */
const VOCABULARY_VERSION = '1.12.0';

/**
 * Raises `vocabulary-version` if the format version of a file is newer or has another major number;
 * `version` is already checked to be three numbers.
 */
export function checkVocabulary(version: string, at: Position): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [knownMajor = 0, knownMinor = 0, knownPatch = 0] =
    VOCABULARY_VERSION.split('.').map(Number);
  const newer = major - knownMajor || minor - knownMinor || patch - knownPatch;
  if (major === knownMajor && newer <= 0) return;
  throw new CcpError({
    code: 'vocabulary-version',
    message: `the file has format version ${version}, but this tool supports ${VOCABULARY_VERSION}`,
    hint:
      newer > 0
        ? 'use a newer version of ccp'
        : 'update the file to the format that docs/reference describes',
    at,
  });
}
