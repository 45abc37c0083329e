/** A package URL without qualifiers: VEX statements and package lists write different ones. */
export function barePurl(purl: string): string {
  return purl.replace(/[?#].*$/, '');
}
