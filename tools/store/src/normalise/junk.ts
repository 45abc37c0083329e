/** Files that differ between two equal builds, or serve only the tool that left them. Paths are relative to the root. */
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

/** True for a file (never a directory) that no image keeps. */
export function isJunk(path: string): boolean {
  return JUNK.some((pattern) => pattern.test(path));
}
