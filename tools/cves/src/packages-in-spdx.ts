import { isRecord } from '#core';
import { invalidData, parseData } from './data/json-file.ts';
import type { ImagePackage, PackageKind } from './types.ts';

const KINDS: Readonly<Record<string, PackageKind>> = {
  deb: 'debian',
  pypi: 'python',
  golang: 'go',
  npm: 'npm',
};
const PURL = /^pkg:([a-z]+)\/([^?#]+)@([^?#@]+)(?:\?([^#]*))?/;
const SOURCE = /^built package from: (\S+) (\S+)$/;

/**
 * The packages in an SPDX document that `ccp publish` attached. Packages of other kinds are left
 * out. Throws `cve-data-invalid`.
 */
export function packagesInSpdx(text: string, file: string): readonly ImagePackage[] {
  const value = parseData(text, file);
  const packages: unknown = isRecord(value) ? value['packages'] : undefined;
  if (!Array.isArray(packages)) throw invalidData(file, 'is not a list', { place: 'packages' });
  return packages.flatMap((each: unknown, index): readonly ImagePackage[] => {
    const place = `packages[${index}]`;
    if (!isRecord(each)) throw invalidData(file, 'is not an object', { place });
    const references: unknown = each['externalRefs'];
    const locators = (Array.isArray(references) ? references : []).flatMap((item: unknown) =>
      isRecord(item) && item['referenceType'] === 'purl' ? [item['referenceLocator']] : [],
    );
    const [purl] = locators;
    if (typeof purl !== 'string') return [];
    const found = packageOfPurl(purl);
    if (found === undefined) return [];
    const info = each['sourceInfo'];
    const [, source, version] = (typeof info === 'string' ? SOURCE.exec(info) : null) ?? [];
    return [
      source === undefined || version === undefined
        ? found
        : { ...found, source: { name: source, version } },
    ];
  });
}

/** The package that a package URL names; undefined for kinds without vulnerability data. */
export function packageOfPurl(purl: string): ImagePackage | undefined {
  const [, type = '', path = '', version = '', qualifiers = ''] = PURL.exec(purl) ?? [];
  const kind = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (kind === undefined) return undefined;
  const name = decode(path);
  const suite = new URLSearchParams(qualifiers).get('distro');
  return {
    kind,
    name: kind === 'debian' ? name.slice(name.indexOf('/') + 1) : name,
    version: decode(version),
    purl,
    ...(kind === 'debian' && suite !== null ? { suite } : {}),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
