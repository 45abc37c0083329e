import { normaliseProject } from '#core';

/** Version in the name of an sdist (`name-1.2.tar.gz`, of old ones also `name-1.2.zip`), where the file is one of this project. */
export function sdistVersion(project: string, file: string): string | undefined {
  const match = /^(.+)-([^-]+)\.(?:tar\.gz|zip)$/.exec(file);
  return match !== null && normaliseProject(match[1]!) === project ? match[2] : undefined;
}
