import { allTogether, CcpError, findingsIn, placedMessage, throwFindings } from '#core';

/**
 * What `work` gives; where it raises errors of ours, or there are findings `before`, these first, all of them together. What is found twice of one place, as of an action and its schedule, is told once,
 * and so is that images are missing, since the first finding names all of them.
 */
export function raisedOnce<T>(before: readonly CcpError[], work: () => T): T {
  try {
    return allTogether([() => throwFindings(before), work])[1];
  } catch (thrown) {
    // What is not bound may break a renderer in any way, which tells nothing new.
    if (!(thrown instanceof CcpError)) throwFindings(before);
    throwFindings(once(findingsIn(thrown)));
    throw thrown;
  }
}

function once(findings: readonly CcpError[]): readonly CcpError[] {
  const told = new Set<string>();
  return findings.filter((finding) => {
    const text = finding.code === 'image-missing' ? finding.code : `${finding.code} ${placedMessage(finding)}`;
    if (told.has(text)) return false;
    told.add(text);
    return true;
  });
}
