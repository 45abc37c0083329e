import { CcpError } from '#core';
import { normaliseProject } from '#formats';

/** Maximum length of a requirement in characters; the expressions below need quadratic time. */
const MAX_REQUIREMENT = 4096;
const REQUIREMENT =
  /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)[ \t]*(?:\[[^\]\n]*\])?[ \t]*(.*)$/;

/** Normalised name of a requirement (PEP 508). Raises `python-requirement-invalid`. */
export function requirementName(requirement: string): string {
  const match = requirement.length > MAX_REQUIREMENT ? null : REQUIREMENT.exec(requirement.trim());
  if (match !== null && !match[2]!.startsWith('@')) return normaliseProject(match[1]!);
  throw new CcpError({
    code: 'python-requirement-invalid',
    message: `${JSON.stringify(requirement.slice(0, 300))} is not a Python requirement`,
    hint: 'write NAME, NAME==VERSION or NAME>=VERSION; URLs cannot be locked',
  });
}

/** The version that a requirement pins; `undefined` if it pins none. */
export function pinnedVersion(requirement: string): string | undefined {
  if (requirement.length > MAX_REQUIREMENT) return undefined;
  return /^[^;@]*?===?\s*([0-9][^\s;,]*)\s*(?:;.*)?$/.exec(requirement)?.[1];
}

/** Upper constraints without comments and without the projects in `leaveOut`. */
export function constraintLines(text: string, leaveOut: ReadonlySet<string>): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.replace(/(?:^|\s)#.*$/s, '').trim())
    .filter((line) => line !== '' && !line.startsWith('-') && !leaveOut.has(requirementName(line)));
}

/** Normalised names of the projects in upper constraints. */
export function constrainedProjects(text: string): readonly string[] {
  return constraintLines(text, new Set()).map(requirementName);
}
