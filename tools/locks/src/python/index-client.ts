import { CcpError, messageOf, sha256 } from '#core';
import { normaliseName, parseHtmlPage, parseJsonPage, sdistVersion, type IndexFile } from './index-page.ts';

/** Reads a simple index (PEP 503, PEP 691); what it answers is checked, since anyone may have written it. */
export interface PythonIndexClient {
  /** URL of the index. */
  readonly url: string;
  /** Files of a project. Raises `python-index-failed`, and `python-project-unknown` where the index has no such project. */
  files(project: string): Promise<readonly IndexFile[]>;
  /** The source archive of a release, its .tar.gz where it has two, with its size. Raises `python-sdist-missing` beside the codes of `files`. */
  sdist(project: string, version: string): Promise<IndexFile & { readonly size: number }>;
  /** Bytes of a file, asked of its host where the index did not tell. */
  sizeOf(file: Pick<IndexFile, 'file' | 'url' | 'size'>): Promise<number>;
  /** The file's bytes, checked by hash. Raises `python-file-mismatch`. */
  download(file: IndexFile): Promise<Uint8Array>;
}

/** `fetch` of the platform, or a wrapper with the project's proxies, authorities and retries. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

const ACCEPT = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';
const MAX_PAGE = 64 * 1024 * 1024;
const MAX_SDIST = 256 * 1024 * 1024;
const ATTEMPTS = 4;
const TIMEOUT_MS = 120_000;

async function bytesOf(response: Response, limit: number, what: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of response.body ?? []) {
    total += chunk.byteLength;
    if (total > limit) throw new CcpError({ code: 'python-index-failed', message: `${what} is longer than ${limit} bytes` });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function openPythonIndex(options: {
  readonly url: string;
  readonly fetch: Fetch;
  readonly signal?: AbortSignal | undefined;
}): PythonIndexClient {
  const root = new URL(options.url.endsWith('/') ? options.url : `${options.url}/`);
  const login = root.username === '' ? undefined : `${decodeURIComponent(root.username)}:${decodeURIComponent(root.password)}`;
  root.username = root.password = '';
  const pages = new Map<string, Promise<readonly IndexFile[]>>();

  const attempt = async (url: string, method: string, accept: string): Promise<Response> => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const authorization = login !== undefined && new URL(url).host === root.host ? { authorization: `Basic ${btoa(login)}` } : {};
    return options.fetch(url, {
      method,
      headers: { accept, 'accept-encoding': accept === ACCEPT ? 'gzip' : 'identity', ...authorization },
      signal: options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]),
    });
  };
  const request = async (url: string, method: string, accept: string): Promise<Response> => {
    let last: unknown;
    for (let tries = 1; tries <= ATTEMPTS; tries++) {
      try {
        const response = await attempt(url, method, accept);
        if (response.status < 500 && response.status !== 429) return response;
        last = new Error(`it answered ${response.status}`);
        await response.body?.cancel();
      } catch (thrown) {
        if (options.signal?.aborted) throw new CcpError({ code: 'cancelled', message: 'locking was stopped', cause: thrown });
        last = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
      }
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** tries * (0.5 + Math.random())));
    }
    throw new CcpError({
      code: 'python-index-failed',
      message: `${url} could not be read: ${messageOf(last)}`,
      hint: 'check the index in pip or uv configuration or in .ccp.yaml, and the proxy',
      cause: last,
    });
  };

  const readPage = async (project: string): Promise<readonly IndexFile[]> => {
    const url = new URL(`${project}/`, root).href;
    const response = await request(url, 'GET', ACCEPT);
    if (response.status === 404)
      throw new CcpError({ code: 'python-project-unknown', message: `the Python index has no project ${project}` });
    if (!response.ok) throw new CcpError({ code: 'python-index-failed', message: `${url} answered ${response.status}` });
    const text = Buffer.from(await bytesOf(response, MAX_PAGE, url)).toString('utf8');
    const json = /json/.test(response.headers.get('content-type') ?? '');
    return (json ? parseJsonPage : parseHtmlPage)(project, text, response.url === '' ? url : response.url);
  };
  const files = (name: string): Promise<readonly IndexFile[]> => {
    const project = normaliseName(name);
    const known = pages.get(project) ?? readPage(project);
    pages.set(project, known);
    return known;
  };
  const sizeOf: PythonIndexClient['sizeOf'] = async ({ url, file, size }) => {
    if (size !== undefined) return size;
    const response = await request(url, 'HEAD', '*/*');
    const length = Number(response.headers.get('content-length'));
    if (response.ok && Number.isSafeInteger(length) && length > 0) return length;
    throw new CcpError({
      code: 'python-index-failed',
      message: `the Python index does not tell the size of ${file} (it answered ${response.status})`,
    });
  };
  return {
    url: options.url,
    files,
    sizeOf,
    sdist: async (project, version) => {
      const name = normaliseName(project);
      const archives = (await files(name)).filter(({ file }) => sdistVersion(name, file) === version);
      const found = archives.find(({ file }) => file.endsWith('.tar.gz')) ?? archives[0];
      if (found !== undefined) return { ...found, size: await sizeOf(found) };
      throw new CcpError({ code: 'python-sdist-missing', message: `the Python index has no source archive of ${name} ${version}` });
    },
    download: async (file) => {
      const response = await request(file.url, 'GET', '*/*');
      if (!response.ok) throw new CcpError({ code: 'python-index-failed', message: `${file.url} answered ${response.status}` });
      const bytes = await bytesOf(response, MAX_SDIST, file.file);
      if (sha256(bytes) === file.sha256) return bytes;
      throw new CcpError({
        code: 'python-file-mismatch',
        message: `${file.file} is not the file that the Python index announced: its SHA-256 is ${sha256(bytes)}, not ${file.sha256}`,
      });
    },
  };
}
