/**
 * Files that differ between two identical builds, or that only the tool that wrote them uses. Paths
 * are relative to the root.
 */
const JUNK: readonly RegExp[] = [
  /^var\/cache\/ldconfig\/aux-cache$/,
  /^var\/log\/(?:dpkg|alternatives|bootstrap|fontconfig)\.log$/,
  /^var\/log\/apt\/[^/]+$/,
  /^var\/lib\/apt\/lists\/(?:(?:partial|auxfiles)\/)?(?!(?:partial|auxfiles)$)[^/]+$/,
  /^var\/cache\/apt\/[^/]+\.bin$/,
  /^var\/cache\/apt\/archives\/(?:partial\/)?[^/]+\.deb$/,
  /^var\/(?:lib\/dpkg|cache\/debconf)\/[^/]+-old$/,
  /^etc\/(?:passwd|group|shadow|gshadow|subuid|subgid)-$/,
];

/** True if the file is removed from every image. Only for files, not for directories. */
export function isJunk(path: string): boolean {
  return JUNK.some((pattern) => pattern.test(path));
}
