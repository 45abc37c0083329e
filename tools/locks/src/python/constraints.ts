import { CcpError, normaliseProject } from '#core';

const REQUIREMENT = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)[ \t]*(?:\[[^\]\n]*\])?[ \t]*(.*)$/;

/** Normalised name of a requirement (PEP 508). Raises `python-requirement-invalid`. */
export function requirementName(requirement: string): string {
  const match = REQUIREMENT.exec(requirement.trim());
  if (match !== null && !match[2]!.startsWith('@')) return normaliseProject(match[1]!);
  throw new CcpError({
    code: 'python-requirement-invalid',
    message: `${JSON.stringify(requirement)} is not a Python requirement`,
    hint: 'write NAME, NAME==VERSION or NAME>=VERSION; URLs cannot be locked',
  });
}

/** The version that a requirement fixes, where it fixes one. */
export function pinnedVersion(requirement: string): string | undefined {
  return /^[^;@]*?===?\s*([0-9][^\s;,]*)\s*(?:;.*)?$/.exec(requirement)?.[1];
}

/** Upper constraints without comments and without what `leaveOut` names. */
export function constraintLines(text: string, leaveOut: ReadonlySet<string>): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('-') && !leaveOut.has(requirementName(line)));
}

/** Normalised names of the projects that upper constraints fix. */
export function constrainedProjects(text: string): readonly string[] {
  return constraintLines(text, new Set()).map(requirementName);
}
