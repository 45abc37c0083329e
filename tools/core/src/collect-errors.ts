import { CcpError, CcpErrors, throwFindings } from './errors.ts';

/**
 * Runs all `works` and returns their results in order. If some throw a `CcpError`, the others still
 * run and all findings are thrown together. Any other error is thrown immediately.
 */
export function collectErrors<const Works extends readonly (() => unknown)[]>(
  works: Works,
): { -readonly [Index in keyof Works]: ReturnType<Works[Index]> } {
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

/** The findings in a thrown `CcpError`; any other error is thrown again. */
export function findingsIn(thrown: unknown): readonly CcpError[] {
  if (!(thrown instanceof CcpError)) throw thrown;
  return thrown instanceof CcpErrors ? thrown.findings : [thrown];
}
