import { isRecord, parseJson } from '#core';
import { nextPage } from './next-page.ts';
import { readLimited } from './read-limited.ts';
import { invalidResponse, requestRefused } from './registry-error.ts';
import type { RegistryHttp } from './registry-http.ts';

const MAX_PAGE = 4 << 20;
const MAX_PAGES = 200;

/**
 * All tags of a repository, from all pages; empty if it does not exist. Throws `registry-invalid`
 * for other text and for endless pages.
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
    for (const tag of tagsIn(text, host, action)) tags.add(tag);
    path = nextPage(response);
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
  return list as string[];
}
