import { CcpError, INDEX_ACCEPT, normaliseProject, parseIndexPage, redact, type IndexFile, type Sha256 } from '#core';
import type { PythonIndex } from '../mirrors/mirrors.ts';
import type { HttpClient } from './http-client.ts';
import { transientStatus } from './retry.ts';

const MAX_PAGE = 64 * 1024 * 1024;

/**
 * Files of a project at an index (PEP 503 and 691); none where the index does not know it. The answer is not trusted: a file is
 * only as good as its hash. Raises `TransientError`, `mirror-refused`, and `index-invalid` for what is neither JSON nor HTML of that kind.
 */
export async function listProject(client: HttpClient, index: PythonIndex, project: string, signal: AbortSignal): Promise<IndexFile[]> {
  const url = new URL(`${normaliseProject(project)}/`, index.url).href;
  const answer = await client.get(url, { accept: INDEX_ACCEPT }, signal);
  if (answer.status !== 200) {
    answer.discard();
    if (answer.status === 404 || answer.status === 410) return [];
    const hint = 'give user and password in the index\'s URL, or name another in .ccp.yaml ("mirrors.python")';
    throw (
      transientStatus(answer.status, answer.headers['retry-after']) ??
      new CcpError({ code: 'mirror-refused', message: `the Python index answered ${answer.status} for ${redact(url)} (from ${index.from})`, hint })
    );
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_PAGE)
      throw new CcpError({ code: 'index-invalid', message: `the answer of the Python index for ${redact(url)} is larger than ${MAX_PAGE} bytes` });
  }
  const text = Buffer.concat(chunks).toString();
  return parseIndexPage({ text, contentType: String(answer.headers['content-type']), url: answer.url });
}

/** True where the index tells no hash, or this one. */
export function mayBe(found: IndexFile, sha256: Sha256): boolean {
  return found.sha256 === undefined || found.sha256 === sha256;
}
