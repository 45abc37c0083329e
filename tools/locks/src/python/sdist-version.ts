import { normaliseProject } from '#formats';

/**
 * The version in the file name of a project's sdist (`name-1.2.tar.gz`, old releases also
 * `name-1.2.zip`); `undefined` for other files.
 */
export function sdistVersion(project: string, file: string): string | undefined {
  const match = /^(.+)-([^-]+)\.(?:tar\.gz|zip)$/.exec(file);
  return match !== null && normaliseProject(match[1]!) === project ? match[2] : undefined;
}
