import { findingsIn, formatPosition, omitUndefined } from '#core';

/**
 * The findings of a call, each as `FILE:LINE MESSAGE (HINT)`; none if it
 * succeeds.
 */
export function findingLines(call: () => unknown): string[] {
  try {
    call();
    return [];
  } catch (thrown) {
    return findingsIn(thrown).map(({ at, message, hint }) => {
      const place =
        at === undefined
          ? ''
          : `${formatPosition({ file: at.file, ...omitUndefined({ line: at.line }) })} `;
      return `${place}${message}${hint === undefined ? '' : ` (${hint})`}`;
    });
  }
}
