import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CcpError, decodeText, nearest, reading, series } from '#core';
import { readBounded } from '#host';
import { checkDefinitionStat, MAX_DEFINITION } from '../definition-size.ts';
import { loadSchema } from '../json-schema.ts';
import { parseYaml } from '../parse-yaml.ts';
import type { Site } from './site.ts';
import { checkVocabulary } from './spec-version.ts';

const SCHEMA = new URL('../../schemas/site.schema.json', import.meta.url);

/** A site name is a prefix of object names and the value of a label. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$/;

/** Parses a site. Raises `site-name`, `yaml-invalid`, `vocabulary-version` or `name-invalid`. */
export function parseSite(text: string, file: string, name: string): Site {
  if (!NAME.test(name))
    throw new CcpError({
      code: 'site-name',
      message: `the name of a site must be a DNS label of at most 30 lower-case letters, digits and dashes, not ${JSON.stringify(name)}`,
      hint: 'rename its folder in deploy-specs',
      at: { file },
    });
  const { value, position } = parseYaml<Omit<Site, 'name' | 'position'>>(
    text,
    file,
    loadSchema(SCHEMA),
  );
  checkVocabulary(value.schema, position(['schema']));
  return { ...value, series: series(value.series), name, position };
}

/** Sorted names of the folders in deploy-specs/ that contain a site.yaml. */
export function siteNames(root: string): string[] {
  const folder = join(root, 'deploy-specs');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'site.yaml')))
    .sort();
}

/**
 * deploy-specs/<name>/site.yaml below `root`. Raises `site-unknown` with the nearest name, and what
 * `parseSite` raises.
 */
export function readSite(root: string, name: string): Site {
  const names = siteNames(root);
  if (!names.includes(name)) {
    const meant = nearest(name, names);
    const hint =
      meant === undefined
        ? `known sites: ${names.join(', ') || 'none'}`
        : `did you mean "${meant}"?`;
    throw new CcpError({
      code: 'site-unknown',
      message: `site "${name}" not found in deploy-specs`,
      hint,
    });
  }
  const path = join(root, 'deploy-specs', name, 'site.yaml');
  const file = relative(root, path);
  checkDefinitionStat(
    reading(file, () => statSync(path)),
    file,
  );
  const bytes = reading(file, () => readBounded(path, MAX_DEFINITION, file));
  return parseSite(decodeText(bytes, file), file, name);
}
