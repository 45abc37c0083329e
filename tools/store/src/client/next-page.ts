/** The URL of a list's next page, from the `Link` header; undefined on the last page. */
export function nextPage({ headers, url }: Response): string | undefined {
  const next = /<([^<>]{1,2048})>\s{0,8};\s{0,8}rel="?next"?/.exec(headers.get('link') ?? '')?.[1];
  return next === undefined ? undefined : URL.parse(next, url)?.href;
}
