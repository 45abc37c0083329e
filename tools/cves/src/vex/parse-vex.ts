import { isRecord } from '#core';
import { invalidData, parseData } from '../data/json-file.ts';
import type { VexStatement } from '../types.ts';
import { barePurl } from '../bare-purl.ts';

const STATUSES = ['not_affected', 'affected', 'fixed', 'under_investigation'] as const;

/** Parses the untrusted text of an OpenVEX document. Throws `cve-data-invalid`. */
export function parseVexText(text: string, file: string): readonly VexStatement[] {
  return parseVex(parseData(text, file), file);
}

/** Parses the untrusted text of an in-toto statement of a document. Throws `cve-data-invalid`. */
export function parseVexStatement(text: string, file: string): readonly VexStatement[] {
  const value = parseData(text, file);
  return parseVex(isRecord(value) ? value['predicate'] : undefined, file);
}

/**
 * Reads an untrusted OpenVEX document, its statements in their order. Products are images by
 * digest, or packages. Throws `cve-data-invalid`.
 */
export function parseVex(value: unknown, file: string): readonly VexStatement[] {
  if (!isRecord(value)) throw invalidData(file, 'it is not an OpenVEX document');
  const context = value['@context'];
  if (typeof context !== 'string' || !context.startsWith('https://openvex.dev/ns'))
    throw invalidData(file, 'is not an OpenVEX context', { place: '@context' });
  const statements = value['statements'];
  if (!Array.isArray(statements)) throw invalidData(file, 'is not a list', { place: 'statements' });
  return statements.flatMap((each: unknown, index) =>
    statementsOf(each, file, `statements[${index}]`),
  );
}

function statementsOf(value: unknown, file: string, place: string): readonly VexStatement[] {
  if (!isRecord(value)) throw invalidData(file, 'is not an object', { place });
  const { vulnerability, status, products = [] } = value;
  const known = STATUSES.find((each) => each === status);
  if (known === undefined)
    throw invalidData(file, 'is not a status of OpenVEX', { place: `${place}.status` });
  const about = isRecord(vulnerability) ? vulnerability : { name: vulnerability };
  const { name, aliases = [] } = about;
  if (typeof name !== 'string')
    throw invalidData(file, 'has no name', { place: `${place}.vulnerability` });
  if (!Array.isArray(products) || !Array.isArray(aliases))
    throw invalidData(file, 'has a product or alias list that is not a list', { place });
  const names = [name, ...aliases.filter((each): each is string => typeof each === 'string')];
  const why = [value['justification'], value['impact_statement']]
    .filter((each): each is string => typeof each === 'string')
    .join(': ');
  return products.flatMap((product: unknown) =>
    productOf(product, file, place).map(({ digests, packages }) => ({
      names,
      digests,
      packages,
      status: known,
      why: why === '' ? known : why,
    })),
  );
}

type Product = Pick<VexStatement, 'digests' | 'packages'>;

function productOf(value: unknown, file: string, place: string): readonly Product[] {
  const product = typeof value === 'string' ? { '@id': value } : value;
  if (!isRecord(product)) throw invalidData(file, 'has a product that is not an object', { place });
  const { subcomponents = [], hashes } = product;
  if (!Array.isArray(subcomponents))
    throw invalidData(file, 'has subcomponents that are not a list', { place });
  const id = purlOf(product) ?? '';
  const packages = subcomponents.flatMap((each: unknown) => {
    const purl = isRecord(each) ? purlOf(each) : typeof each === 'string' ? each : undefined;
    return purl === undefined ? [] : [barePurl(purl)];
  });
  if (!id.startsWith('pkg:oci/'))
    return id.startsWith('pkg:') ? [{ digests: [], packages: [barePurl(id)] }] : [];
  const hash = isRecord(hashes) ? hashes['sha-256'] : undefined;
  // Without a package that it names, the statement would be about all packages of the image.
  if (subcomponents.length > 0 && packages.length === 0) return [];
  const digest =
    typeof hash === 'string' ? `sha256:${hash}` : /@(sha256(?::|%3A)[0-9a-f]{64})/.exec(id)?.[1];
  return digest === undefined ? [] : [{ digests: [digest.replace('%3A', ':')], packages }];
}

function purlOf(value: Readonly<Record<string, unknown>>): string | undefined {
  const { identifiers } = value;
  const purl = isRecord(identifiers) ? identifiers['purl'] : undefined;
  const id = value['@id'];
  return typeof purl === 'string' ? purl : typeof id === 'string' ? id : undefined;
}
