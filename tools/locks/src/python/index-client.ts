import { CcpError, codeOf, sha256, type Sha256 } from '#core';
import { INDEX_ACCEPT, normaliseProject, parseIndexPage, type IndexFile } from '#formats';
import { openIndexHttp, type IndexHttpOptions } from './index-http.ts';
import { sdistVersion } from './sdist-version.ts';

/** A file that can be locked, since the index lists its hash. */
export interface LockableFile extends IndexFile {
  /** Normalised name of the project. */
  readonly name: string;
  readonly sha256: Sha256;
}

/** Reads simple indexes (PEP 503, PEP 691) in order; responses are validated as untrusted input. */
export interface PythonIndexClient {
  /**
   * URLs of the reachable indexes, in order, with their logins. Raises `python-index-failed` if
   * none is reachable.
   */
  urls(): Promise<readonly string[]>;
  /**
   * Lists a project's files at the first index that has it, skipping unreachable indexes. Raises
   * `python-index-failed` and `index-invalid` if no index can be read, and `python-project-unknown`
   * if none has the project.
   */
  files(project: string): Promise<readonly LockableFile[]>;
  /**
   * Finds the source archive of a release, preferably a .tar.gz, with its size. Raises
   * `python-sdist-missing` and the errors of `files`.
   */
  sdist(project: string, version: string): Promise<LockableFile & { readonly size: number }>;
  /** Size of a file in bytes, requested from its host if the index does not list it. */
  sizeOf(file: Pick<IndexFile, 'file' | 'url' | 'size'>): Promise<number>;
  /** Downloads a file and verifies its hash. Raises `python-file-mismatch`. */
  download(file: Pick<LockableFile, 'file' | 'url' | 'sha256'>): Promise<Uint8Array>;
}

const MAX_PAGE = 64 * 1024 * 1024;
const MAX_SDIST = 256 * 1024 * 1024;
/** A project used to test whether an index answers; a 404 is also an answer. */
const PROBE = 'pip';

/** Opens a client of the simple indexes in `urls`; sends no request yet. */
export function openPythonIndex(options: IndexHttpOptions): PythonIndexClient {
  const http = openIndexHttp(options);
  const pages = new Map<string, Promise<readonly LockableFile[] | undefined>>();
  let answering: Promise<readonly string[]> | undefined;

  const readPage = async (
    index: string,
    project: string,
  ): Promise<readonly LockableFile[] | undefined> => {
    const page = new URL(`${project}/`, index.endsWith('/') ? index : `${index}/`);
    page.username = page.password = '';
    const { status, headers, url, bytes } = await http.ask('GET', page.href, {
      accept: INDEX_ACCEPT,
      limit: MAX_PAGE,
    });
    if (status === 404 || status === 410) return undefined;
    if (status !== 200)
      throw new CcpError({
        code: 'python-index-failed',
        message: `${page.href} answered ${status}`,
      });
    const files = parseIndexPage({
      text: Buffer.from(bytes).toString('utf8'),
      contentType: headers.get('content-type') ?? '',
      url,
    });
    return files.flatMap(({ sha256, ...file }) =>
      sha256 === undefined ? [] : [{ ...file, name: project, sha256 }],
    );
  };
  const pageOf = (index: string, project: string): Promise<readonly LockableFile[] | undefined> => {
    const key = `${index} ${project}`;
    const known = pages.get(key) ?? readPage(index, project);
    pages.set(key, known);
    return known;
  };
  const probe = async (): Promise<readonly string[]> => {
    const all = options.urls();
    if (all.length < 2) return all;
    const answers = await Promise.allSettled(all.map((index) => pageOf(index, PROBE)));
    const failure = answers.find((answer) => answer.status === 'rejected');
    const found = all.filter((_, at) => answers[at]?.status === 'fulfilled');
    if (found.length > 0 || failure === undefined) return found;
    throw failure.reason;
  };
  const urls = (): Promise<readonly string[]> => (answering ??= probe());
  const files: PythonIndexClient['files'] = async (name) => {
    const project = normaliseProject(name);
    let failure: unknown;
    for (const index of await urls()) {
      try {
        const found = await pageOf(index, project);
        if (found !== undefined) return found;
      } catch (thrown) {
        if (codeOf(thrown) === 'cancelled') throw thrown;
        failure ??= thrown;
      }
    }
    throw (
      failure ??
      new CcpError({
        code: 'python-project-unknown',
        message: `the Python index has no project ${project}`,
      })
    );
  };
  const sizeOf: PythonIndexClient['sizeOf'] = async ({ url, file, size }) => {
    if (size !== undefined) return size;
    const { status, headers } = await http.ask('HEAD', url);
    const length = Number(headers.get('content-length'));
    if (status === 200 && Number.isSafeInteger(length) && length > 0) return length;
    throw new CcpError({
      code: 'python-index-failed',
      message: `the Python index does not report the size of ${file} (it answered ${status})`,
    });
  };
  return {
    urls,
    files,
    sizeOf,
    sdist: async (project, version) => {
      const name = normaliseProject(project);
      const archives = (await files(name)).filter(
        ({ file }) => sdistVersion(name, file) === version,
      );
      const found = archives.find(({ file }) => file.endsWith('.tar.gz')) ?? archives[0];
      if (found !== undefined) return { ...found, size: await sizeOf(found) };
      throw new CcpError({
        code: 'python-sdist-missing',
        message: `the Python index has no source archive of ${name} ${version}`,
      });
    },
    download: async (file) => {
      const { status, bytes } = await http.ask('GET', file.url, { limit: MAX_SDIST });
      if (status !== 200)
        throw new CcpError({
          code: 'python-index-failed',
          message: `${file.url} answered ${status}`,
        });
      if (sha256(bytes) === file.sha256) return bytes;
      throw new CcpError({
        code: 'python-file-mismatch',
        message: `${file.file} does not match the Python index: its SHA-256 is ${sha256(bytes)}, not ${file.sha256}`,
      });
    },
  };
}
