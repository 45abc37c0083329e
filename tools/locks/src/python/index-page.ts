import { parseSha256, type Sha256 } from '#core';

/** A file of a Python index. */
export interface IndexFile {
  /** Normalised name of the project. */
  readonly name: string;
  readonly file: string;
  readonly url: string;
  readonly sha256: Sha256;
  /** Bytes, where the index tells. */
  readonly size?: number;
  readonly yanked: boolean;
}

const FILE = /^[A-Za-z0-9][A-Za-z0-9._+!-]*$/;
const HASH = /^[0-9a-f]{64}$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };
const unescape = (text: string): string => text.replace(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => ENTITIES[name]!);

/** Normalised name of a project (PEP 503). */
export function normaliseName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

function attributeOf(attributes: string, name: string): string | undefined {
  const match = new RegExp(`(?:^|\\s)${name}(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'))?(?=\\s|$)`, 'i').exec(attributes);
  return match === null ? undefined : unescape(match[1] ?? match[2] ?? '');
}

/** The files on an HTML page of a simple index; those without a SHA-256 are left out. `base` is the page's URL. */
export function parseHtmlPage(project: string, html: string, base: string): IndexFile[] {
  return [...html.matchAll(/<a\s([^>]*)>[^<]*<\/a>/gi)].flatMap(([, attributes]) => {
    const href = attributeOf(attributes!, 'href');
    if (href === undefined || !URL.canParse(href, base)) return [];
    const url = new URL(href, base);
    const hash = /[#&]sha256=([0-9a-f]{64})/.exec(url.hash)?.[1];
    url.hash = '';
    const file = url.pathname.split('/').at(-1)!.replaceAll('%2B', '+').replaceAll('%2b', '+');
    if (hash === undefined || !FILE.test(file)) return [];
    return [
      { name: project, file, url: url.href, sha256: parseSha256(hash), yanked: attributeOf(attributes!, 'data-yanked') !== undefined },
    ];
  });
}

interface JsonPage {
  readonly files?: readonly {
    readonly filename?: unknown;
    readonly url?: unknown;
    readonly size?: unknown;
    readonly yanked?: unknown;
    readonly hashes?: { readonly sha256?: unknown };
  }[];
}

/** The files of a JSON page of a simple index; those without a SHA-256 are left out. `base` is the page's URL. */
export function parseJsonPage(project: string, text: string, base: string): IndexFile[] {
  return ((JSON.parse(text) as JsonPage).files ?? []).flatMap(({ filename, url, size, yanked, hashes }) => {
    const hash = hashes?.sha256;
    if (typeof filename !== 'string' || !FILE.test(filename) || typeof url !== 'string' || !URL.canParse(url, base)) return [];
    if (typeof hash !== 'string' || !HASH.test(hash)) return [];
    const known = typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? { size } : {};
    const withdrawn = yanked !== undefined && yanked !== false;
    return [{ name: project, file: filename, url: new URL(url, base).href, sha256: parseSha256(hash), ...known, yanked: withdrawn }];
  });
}

/** Version in the name of an sdist (`name-1.2.tar.gz`, of old ones also `name-1.2.zip`), where the file is one of this project. */
export function sdistVersion(project: string, file: string): string | undefined {
  const match = /^(.+)-([^-]+)\.(?:tar\.gz|zip)$/.exec(file);
  return match !== null && normaliseName(match[1]!) === project ? match[2] : undefined;
}
