import { CcpError, CcpErrors, throwFindings } from './errors.ts';

/**
 * What each of `works` gives, in their order. Where some raise errors of ours the others are done all the same, and the findings of all
 * are raised together; anything else that is thrown is thrown at once.
 */
export function allTogether<const Works extends readonly (() => unknown)[]>(works: Works): { -readonly [Index in keyof Works]: ReturnType<Works[Index]> } {
  const findings: CcpError[] = [];
  const results = works.map((work) => {
    try {
      return work();
    } catch (thrown) {
      findings.push(...findingsIn(thrown));
      return undefined;
    }
  });
  throwFindings(findings);
  return results as { -readonly [Index in keyof Works]: ReturnType<Works[Index]> };
}

/** The findings that were thrown; anything but errors of ours is thrown again. */
export function findingsIn(thrown: unknown): readonly CcpError[] {
  if (!(thrown instanceof CcpError)) throw thrown;
  return thrown instanceof CcpErrors ? thrown.findings : [thrown];
}
