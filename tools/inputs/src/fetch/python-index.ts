import { CcpError, redact, type Sha256 } from '#core';
import type { PythonIndex } from '../mirrors/mirrors.ts';
import type { HttpClient } from './http-client.ts';
import { transientStatus } from './retry.ts';

/** A file as an index lists it. */
export interface IndexFile {
  readonly file: string;
  /** Absolute. */
  readonly url: string;
  /** Where the index tells it. */
  readonly sha256?: string;
}

const ACCEPT = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';
const MAX_PAGE = 64 * 1024 * 1024;

/**
 * Files of a project at an index (PEP 503 and 691); none where the index does not know it. The answer is not trusted: a file is
 * only as good as its hash. Raises `TransientError`, `mirror-refused`, and `index-invalid` for what is neither JSON nor HTML of that kind.
 */
export async function listProject(client: HttpClient, index: PythonIndex, project: string, signal: AbortSignal): Promise<IndexFile[]> {
  const url = new URL(`${normalisedProject(project)}/`, index.url).href;
  const answer = await client.get(url, { accept: ACCEPT }, signal);
  if (answer.status !== 200) {
    answer.discard();
    if (answer.status === 404 || answer.status === 410) return [];
    const hint = 'give user and password in the index\'s URL, or name another in .ccp.yaml ("mirrors.python")';
    throw transientStatus(answer.status, answer.headers['retry-after']) ?? new CcpError({ code: 'mirror-refused', message: `the Python index answered ${answer.status} for ${redact(url)} (from ${index.from})`, hint });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > MAX_PAGE) throw invalid(url, `is larger than ${MAX_PAGE} bytes`);
  }
  const text = Buffer.concat(chunks).toString();
  const json = String(answer.headers['content-type']).includes('json');
  return (json ? fromJson(text, url) : fromHtml(text)).flatMap((found) => absolute(found, answer.url));
}

/** The project's name as an index spells it (PEP 503). */
export function normalisedProject(project: string): string {
  return project.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** True where the index tells no hash, or this one. */
export function mayBe(found: IndexFile, sha256: Sha256): boolean {
  return found.sha256 === undefined || found.sha256 === sha256;
}

function fromJson(text: string, url: string): IndexFile[] {
  let page: unknown;
  try {
    page = JSON.parse(text);
  } catch {
    throw invalid(url, 'is not JSON');
  }
  const files = typeof page === 'object' && page !== null && 'files' in page ? page.files : undefined;
  if (!Array.isArray(files)) throw invalid(url, 'lists no files');
  return files.flatMap((entry: { filename?: unknown; url?: unknown; hashes?: { sha256?: unknown } } | null) => {
    const { filename, url: location, hashes } = entry ?? {};
    if (typeof filename !== 'string' || typeof location !== 'string') return [];
    const hash = hashes?.sha256;
    return [{ file: filename, url: location, ...(typeof hash === 'string' ? { sha256: hash } : {}) }];
  });
}

function fromHtml(text: string): IndexFile[] {
  return [...text.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>([^<]*)<\/a>/gi)].map(([, double, single, file]) => {
    const [url = '', fragment = ''] = unescape(double ?? single ?? '').split('#');
    const hash = /^sha256=([0-9a-f]{64})$/.exec(fragment)?.[1];
    return { file: unescape(file ?? '').trim(), url, ...(hash === undefined ? {} : { sha256: hash }) };
  });
}

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}

function absolute(found: IndexFile, base: string): IndexFile[] {
  const url = URL.parse(found.url, base);
  return url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') ? [] : [{ ...found, url: url.href }];
}

function invalid(url: string, what: string): CcpError {
  return new CcpError({ code: 'index-invalid', message: `the answer of the Python index for ${redact(url)} ${what}`, hint: 'name a simple index (PEP 503) in .ccp.yaml ("mirrors.python")' });
}
