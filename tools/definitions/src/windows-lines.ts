import { CcpError } from '#core';

/** The error of a file with Windows line endings. */
export function windowsLines(file: string): CcpError {
  return new CcpError({
    code: 'definition-line-endings',
    message: `${file} has Windows line endings (CRLF), but fingerprints and locks depend on exact bytes`,
    hint: 'if git converted the files, add `* -text` to .gitattributes and clone the repository again',
    at: { file },
  });
}

/**
 * Throws `definition-line-endings` for a file with Windows line endings. git converts all files of
 * a checkout alike, so it is enough to check the first file that every command reads; the others
 * would have a finding for each line.
 */
export function refuseWindowsLines({
  text,
  file,
}: {
  readonly text: string;
  readonly file: string;
}): void {
  if (text.includes('\r\n')) throw windowsLines(file);
}
