import { CcpError } from './errors.ts';
import { redact } from './redact.ts';
import type { Sha256 } from './digest.ts';
import { isRecord } from './is-record.ts';

/** A file as an index of Python packages lists it. */
export interface IndexFile {
  readonly file: string;
  /** Absolute, by HTTP or HTTPS. */
  readonly url: string;
  /** Where the index tells it. */
  readonly sha256?: Sha256;
  /** Bytes, where the index tells. */
  readonly size?: number;
  readonly yanked: boolean;
}

/** A page of a Python index as it came. */
export interface IndexPage {
  readonly text: string;
  readonly contentType: string;
  /** Where the page came from, redirections followed: links are relative to it. */
  readonly url: string;
}

/** What an index is asked for: pages in JSON (PEP 691), else in HTML (PEP 503). */
export const INDEX_ACCEPT = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1';

const FILE = /^[A-Za-z0-9][A-Za-z0-9._+!-]*$/;
const HASH = /^[0-9a-f]{64}$/;
const LINK = /<a\s((?:[^>"']|"[^"]*"|'[^']*')*)>/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

/** The project's name as an index spells it (PEP 503). */
export function normaliseProject(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/**
 * Files on a project's page of a simple index; links that name no file are left out. Anyone may have written the page: a file
 * is only as good as its hash. Raises `index-invalid` for JSON of another shape.
 */
export function parseIndexPage(page: IndexPage): IndexFile[] {
  const files = /json/i.test(page.contentType) ? fromJson(page) : fromHtml(page);
  return files.filter(({ file }) => FILE.test(file));
}

/**
 * `url` with the user and password of `index` where it lies at that index's own origin and names none itself: a private index
 * wants them for its files too, no one else may see them.
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
  return files.filter(isRecord).flatMap(({ filename, url, size, yanked, hashes }) => {
    const location = typeof url === 'string' ? absolute(url, base) : undefined;
    if (typeof filename !== 'string' || location === undefined) return [];
    const bytes = typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? { size } : {};
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
  return [...text.matchAll(LINK)].flatMap(([, attributes = '']) => {
    const url = absolute(attributeOf(attributes, 'href') ?? '', base);
    if (url === undefined) return [];
    const hash = /[#&]sha256=([0-9a-f]{64})(?:&|$)/.exec(url.hash)?.[1];
    url.hash = '';
    // The last part of the path is the file's name (PEP 503); indexes write its "+" both ways.
    const file = (url.pathname.split('/').at(-1) ?? '').replaceAll(/%2b/gi, '+').replaceAll('%21', '!');
    return [{ file, url: url.href, ...hashOf(hash), yanked: attributeOf(attributes, 'data-yanked') !== undefined }];
  });
}

function attributeOf(attributes: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'))?(?=\\s|/?$)`, 'i').exec(attributes);
  return match === null ? undefined : unescape(match[1] ?? match[2] ?? '');
}

function unescape(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => ENTITIES[name] ?? '');
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
    message: `the answer of the Python index for ${redact(url)} ${what}`,
    hint: 'name a simple index (PEP 503) in .ccp.yaml ("mirrors.python")',
  });
}
