import { allTogether, CcpError, findingsIn, placedMessage, throwFindings } from '#core';

/**
 * As `allTogether`, with findings from `before` first. What is found twice of one place, as of an action and its schedule, is told once,
 * and so is that images are missing, since the first finding names all of them.
 */
export function raisedOnce<const Works extends readonly (() => unknown)[]>(
  before: readonly CcpError[],
  works: Works,
): { -readonly [Index in keyof Works]: ReturnType<Works[Index]> } {
  try {
    return allTogether([() => throwFindings(before), () => allTogether(works)])[1];
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
