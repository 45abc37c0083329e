import { collectErrors, CcpError, findingsIn, placedMessage, throwFindings } from '#core';

/**
 * Returns the result of `work`. Findings in `before` and errors of `work` are thrown together, `before` first. A finding that occurs
 * twice at one position (an action and its schedule) is reported once, as is `image-missing`.
 */
export function raisedOnce<T>(before: readonly CcpError[], work: () => T): T {
  try {
    return collectErrors([() => throwFindings(before), work])[1];
  } catch (thrown) {
    // An unbound requirement may cause any error in a renderer; such an error adds no information.
    if (!(thrown instanceof CcpError)) throwFindings(before);
    throwFindings(once(findingsIn(thrown)));
    throw thrown;
  }
}

function once(findings: readonly CcpError[]): readonly CcpError[] {
  const told = new Set<string>();
  return findings.filter((finding) => {
    const text =
      finding.code === 'image-missing' ? finding.code : `${finding.code} ${placedMessage(finding)}`;
    if (told.has(text)) return false;
    told.add(text);
    return true;
  });
}
