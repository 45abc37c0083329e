/**
 * The upstream part of a Debian version (deb-version(7)): without epoch and revision, and without
 * Debian's suffixes for removed files (`+dfsg`, `+ds`) or for the release (`+deb13u1`, `~bpo12+1`).
 */
export function upstreamVersion(debian: string): string {
  return debian
    .replace(/^\d+:/, '')
    .replace(/-[^-]*$/, '')
    .replace(/[+~.](?:dfsg|ds|repack|deb\d|bpo\d|really).*$/s, '');
}

/**
 * True if the text contains the whole version: `1.2` is in `v1.2-x`, but not in `1.2.3` or `11.2`.
 * A development version also matches its release, since pbr's `version_string` returns that:
 * `1.2.4` for `1.2.4.dev7`.
 */
export function mentionsVersion(text: string, version: string): boolean {
  const release = version.replace(/(?:\.0(?:a|b|rc)\d+)?\.dev\d+$/, '');
  return [version, release].some((each) => containsVersion(text, each));
}

function containsVersion(text: string, version: string): boolean {
  const escaped = version.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![0-9.])${escaped}(?!\\.?[0-9])`).test(text);
}
