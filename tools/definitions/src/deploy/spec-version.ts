import { CcpError, type Position } from '#core';

/** Version of the vocabulary of app specs and sites that this tool knows. */
export const VOCABULARY_VERSION = '1.6.0';

/**
 * Raises `vocabulary-version` where a file is written in a newer vocabulary, or in one of another major version; `version` is
 * already known to be three numbers.
 */
export function checkVocabulary(version: string, at: Position): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const [knownMajor = 0, knownMinor = 0, knownPatch = 0] = VOCABULARY_VERSION.split('.').map(Number);
  const newer = major - knownMajor || minor - knownMinor || patch - knownPatch;
  if (major === knownMajor && newer <= 0) return;
  throw new CcpError({
    code: 'vocabulary-version',
    message: `the file is written in vocabulary ${version}, this tool knows ${VOCABULARY_VERSION}`,
    hint: newer > 0 ? 'use a newer version of ccp' : 'move the file to the vocabulary of this tool: see the schemas folder of tools/definitions',
    at,
  });
}
