import { findingsIn, formatPosition, omitUndefined } from '#core';

/**
 * What a call finds against its input, each as `FILE:LINE MESSAGE (HINT)`; nothing where it ends
 * well.
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
