import type { ServerResponse } from 'node:http';
import { RegistryFault, sendJson } from './registry-fault.ts';
import type { Referrer } from './registry-storage.ts';

const INDEX = 'application/vnd.oci.image.index.v1+json';

/**
 * Sends the tags after `last`, at most `n` of them; a `Link` header names the next page. Throws
 * `RegistryFault` for an `n` that is not a number.
 */
export function sendTags(
  response: ServerResponse,
  query: URLSearchParams,
  repository: string,
  all: readonly string[],
): void {
  const [count, last] = [query.get('n'), query.get('last')];
  if (count !== null && !/^\d{1,9}$/.test(count))
    throw new RegistryFault(
      400,
      'PAGINATION_NUMBER_INVALID',
      `${JSON.stringify(count.slice(0, 200))} is not a number of tags`,
    );
  const rest = last === null ? all : all.filter((tag) => tag > last);
  const tags = count === null ? rest : rest.slice(0, Number(count));
  const end = tags.at(-1);
  const isPart = end !== undefined && tags.length < rest.length;
  const next = new URLSearchParams({ n: String(tags.length), last: end ?? '' });
  sendJson(
    response,
    200,
    { name: repository, tags },
    isPart ? { Link: `</v2/${repository}/tags/list?${next.toString()}>; rel="next"` } : {},
  );
}

/** Sends an index of `all` referrers, only those of one type if the query has `artifactType`. */
export function sendReferrers(
  response: ServerResponse,
  query: URLSearchParams,
  all: readonly Referrer[],
): void {
  const type = query.get('artifactType');
  const manifests = type === null ? all : all.filter(({ artifactType }) => artifactType === type);
  sendJson(
    response,
    200,
    { schemaVersion: 2, mediaType: INDEX, manifests },
    { 'Content-Type': INDEX, ...(type === null ? {} : { 'OCI-Filters-Applied': 'artifactType' }) },
  );
}
