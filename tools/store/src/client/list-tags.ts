import { escapeControls, isRecord, parseJson } from '#core';
import { nextPage } from './next-page.ts';
import { readLimited } from './read-limited.ts';
import { invalidResponse, requestRefused } from './registry-error.ts';
import type { RegistryHttp } from './registry-http.ts';

const MAX_PAGE = 4 << 20;
const MAX_PAGES = 200;
/** More than any real repository has; a page of 4 MiB could have a million. */
const MAX_TAGS = 200_000;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/**
 * All tags of a repository, from all pages; empty if it does not exist. Throws `registry-invalid`
 * for other text, invalid tags, more than 200,000 tags and endless pages.
 */
export async function listTags(
  http: RegistryHttp,
  host: string,
  repository: string,
): Promise<readonly string[]> {
  const action = `list the tags of ${repository}`;
  const tags = new Set<string>();
  let path: string | undefined = `/v2/${repository}/tags/list?n=1000`;
  for (let page = 0; path !== undefined; page += 1) {
    if (page === MAX_PAGES)
      throw invalidResponse(host, action, `the list has more than ${MAX_PAGES} pages`);
    const response = await http({
      method: 'GET',
      path,
      scope: `repository:${repository}:pull`,
      action,
    });
    const text = (await readLimited(response, MAX_PAGE, host, action)).toString();
    if (response.status === 404) return [];
    if (response.status !== 200) throw requestRefused(host, action, response.status, text);
    const before = tags.size;
    for (const tag of tagsIn(text, host, action)) tags.add(tag);
    if (tags.size > MAX_TAGS)
      throw invalidResponse(host, action, `the list has more than ${MAX_TAGS} tags`);
    path = nextPage(response);
    if (path !== undefined && tags.size === before)
      throw invalidResponse(host, action, 'a page that is not the last one has no new tags');
  }
  return [...tags];
}

function tagsIn(text: string, host: string, action: string): readonly string[] {
  let list: unknown;
  try {
    const answer = parseJson(text);
    // Some registries answer null for a repository without tags.
    list = isRecord(answer) ? (answer['tags'] ?? []) : undefined;
  } catch {
    list = undefined;
  }
  if (!Array.isArray(list) || !list.every((tag) => typeof tag === 'string'))
    throw invalidResponse(host, action, 'the response has no "tags" list');
  const invalid = (list as string[]).find((tag) => !TAG.test(tag));
  if (invalid !== undefined)
    throw invalidResponse(
      host,
      action,
      `${escapeControls(JSON.stringify(invalid.slice(0, 200)))} is not a tag`,
    );
  return list as string[];
}
