import { CcpError, isRecord, redact, type Sha256 } from '#core';
import { htmlLinks } from './html-links.ts';

/** A file in an index of Python packages. */
export interface IndexFile {
  readonly file: string;
  /** Absolute, by HTTP or HTTPS. */
  readonly url: string;
  /** Undefined if the index does not provide it. */
  readonly sha256?: Sha256;
  /** Size in bytes; undefined if the index does not provide it. */
  readonly size?: number;
  readonly yanked: boolean;
}

/** A response of a Python index. */
export interface IndexPage {
  readonly text: string;
  readonly contentType: string;
  /** URL of the page after redirects: links are relative to it. */
  readonly url: string;
}

/** The Accept header: pages in JSON (PEP 691), else in HTML (PEP 503). */
export const INDEX_ACCEPT =
  'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

const FILE = /^[A-Za-z0-9][A-Za-z0-9._+!-]*$/;
const HASH = /^[0-9a-f]{64}$/;
/** Maximum number of files of a project; the largest on PyPI have less than a fifth of it. */
const MAX_FILES = 200_000;
/** Maximum number of characters of HTML. JSON is faster to read, and its readers limit it. */
const MAX_HTML = 32 * 1024 * 1024;

/** The normalised name of a project (PEP 503). */
export function normaliseProject(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/**
 * The files on a project page of a simple index, without links to other things. The page is
 * untrusted: a file must be checked by its hash. Throws `index-invalid` for JSON of another shape
 * and for a page that is too large.
 */
export function parseIndexPage(page: IndexPage): IndexFile[] {
  const files = /json/i.test(page.contentType) ? fromJson(page) : fromHtml(page);
  return files.filter(({ file }) => FILE.test(file));
}

/**
 * Adds the user and password of `index` to a `url` of the same origin that has none. A private
 * index needs them for its files too; other hosts must not receive them.
 */
export function withIndexLogin(url: string, index: string): string {
  const [asked, home] = [new URL(url), new URL(index)];
  if (asked.origin !== home.origin || asked.username !== '' || asked.password !== '') return url;
  asked.username = home.username;
  asked.password = home.password;
  return asked.href;
}

function fromJson({ text, url: base }: IndexPage): IndexFile[] {
  let page: unknown;
  try {
    page = JSON.parse(text);
  } catch {
    throw invalid(base, 'is not JSON');
  }
  const files = isRecord(page) ? page['files'] : undefined;
  if (!Array.isArray(files)) throw invalid(base, 'lists no files');
  return limited(files, base)
    .filter(isRecord)
    .flatMap(({ filename, url, size, yanked, hashes }) => {
      const location = typeof url === 'string' ? absolute(url, base) : undefined;
      if (typeof filename !== 'string' || location === undefined) return [];
      const bytes =
        typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? { size } : {};
      return [
        {
          file: filename,
          url: location.href,
          ...hashOf(isRecord(hashes) ? hashes['sha256'] : undefined),
          ...bytes,
          yanked: yanked !== undefined && yanked !== false,
        },
      ];
    });
}

function fromHtml({ text, url: base }: IndexPage): IndexFile[] {
  if (text.length > MAX_HTML) throw invalid(base, `has more than ${MAX_HTML} characters`);
  return limited(htmlLinks(text, MAX_FILES + 1), base).flatMap((attributes) => {
    const url = absolute(attributes.get('href') ?? '', base);
    if (url === undefined) return [];
    const hash = /[#&]sha256=([0-9a-f]{64})(?:&|$)/.exec(url.hash)?.[1];
    url.hash = '';
    // The last part of the path is the file name (PEP 503); indexes write its "+" both ways.
    const file = (url.pathname.split('/').at(-1) ?? '')
      .replaceAll(/%2b/gi, '+')
      .replaceAll('%21', '!');
    return [{ file, url: url.href, ...hashOf(hash), yanked: attributes.has('data-yanked') }];
  });
}

function limited<T>(files: readonly T[], url: string): readonly T[] {
  if (files.length > MAX_FILES) throw invalid(url, `lists more than ${MAX_FILES} files`);
  return files;
}

function hashOf(hash: unknown): { readonly sha256?: Sha256 } {
  return typeof hash === 'string' && HASH.test(hash) ? { sha256: hash as Sha256 } : {};
}

function absolute(location: string, base: string): URL | undefined {
  const url = location === '' ? null : URL.parse(location, base);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

function invalid(url: string, what: string): CcpError {
  return new CcpError({
    code: 'index-invalid',
    message: `the response of the Python index for ${redact(url)} ${what}`,
    hint: 'set a simple index (PEP 503) in .ccp.yaml ("mirrors.python")',
  });
}
