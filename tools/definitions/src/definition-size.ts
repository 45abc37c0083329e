import type { Stats } from 'node:fs';
import { CcpError, describeNonFile } from '#core';

/**
 * Maximum size of a definition in bytes, which limits parsing time; ten times the largest one here.
 */
export const MAX_DEFINITION = 256 * 1024;

/**
 * Raises `definition-invalid` for pipes, devices and oversized files; folders are rejected by the
 * reader.
 */
export function checkDefinitionStat(stat: Stats, file: string): void {
  const refuse = (message: string, hint: string): CcpError =>
    new CcpError({ code: 'definition-invalid', message, hint, at: { file } });
  const instead = stat.isDirectory() ? undefined : describeNonFile(stat);
  if (instead !== undefined) throw refuse(`${file} ${instead}`, 'replace it with a regular file');
  if (stat.isFile() && stat.size > MAX_DEFINITION)
    throw refuse(
      `${file} has ${stat.size} bytes; a definition can have at most ${MAX_DEFINITION}`,
      'move long texts to separate files',
    );
}
