import { CcpError, redact, type Sha256 } from '#core';
import { INDEX_ACCEPT, normaliseProject, parseIndexPage, type IndexFile } from '#formats';
import type { PythonIndex } from '../mirrors/mirrors.ts';
import type { HttpClient } from './http-client.ts';
import { transientStatus } from './retry.ts';

const MAX_PAGE = 64 * 1024 * 1024;

/**
 * Lists a project's files at an index (PEP 503 and 691); empty if the index does not have the
 * project. The response is not trusted: files are verified by the locked hash. Raises
 * `TransientError`, `mirror-refused`, and `index-invalid` if the page is neither JSON nor HTML of
 * these formats.
 */
export async function listProject(
  client: HttpClient,
  index: PythonIndex,
  project: string,
  signal: AbortSignal,
): Promise<IndexFile[]> {
  const url = new URL(`${normaliseProject(project)}/`, index.url).href;
  const answer = await client.get(url, { accept: INDEX_ACCEPT }, signal);
  if (answer.status !== 200) {
    answer.discard();
    if (answer.status === 404 || answer.status === 410) return [];
    const hint =
      'put user and password into the index\'s URL, or name another index in .ccp.yaml ("mirrors.python")';
    throw (
      transientStatus(answer.status, answer.headers['retry-after']) ??
      new CcpError({
        code: 'mirror-refused',
        message: `the Python index answered ${answer.status} for ${redact(url)} (from ${index.from})`,
        hint,
      })
    );
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_PAGE)
      throw new CcpError({
        code: 'index-invalid',
        message: `the response of the Python index for ${redact(url)} is larger than ${MAX_PAGE} bytes`,
      });
  }
  const text = Buffer.concat(chunks).toString();
  return parseIndexPage({
    text,
    contentType: String(answer.headers['content-type']),
    url: answer.url,
  });
}

/** Whether the index lists this hash, or none. */
export function mayMatch(found: IndexFile, sha256: Sha256): boolean {
  return found.sha256 === undefined || found.sha256 === sha256;
}
