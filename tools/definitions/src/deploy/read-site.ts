import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CcpError, decodeText, nearest, reading, series } from '#core';
import { loadSchema } from '../json-schema.ts';
import { parseYaml } from '../parse-yaml.ts';
import type { Site } from './site.ts';
import { checkVocabulary } from './spec-version.ts';

const SCHEMA = new URL('../../schemas/site.schema.json', import.meta.url);

/** Names of Secrets' jobs and records begin with it, and labels hold it. */
const NAME = /^[a-z0-9]([a-z0-9-]{0,28}[a-z0-9])?$/;

/** A site from its text. Raises `site-name`, `yaml-invalid`, `vocabulary-version` or `name-invalid`. */
export function parseSite(text: string, file: string, name: string): Site {
  if (!NAME.test(name))
    throw new CcpError({
      code: 'site-name',
      message: `the name of a site must be a DNS label of at most 30 lower-case letters, digits and dashes, not ${JSON.stringify(name)}`,
      hint: 'name its folder so',
      at: { file },
    });
  const { value, position } = parseYaml<Omit<Site, 'name' | 'position'>>(text, file, loadSchema(SCHEMA));
  checkVocabulary(value.schema, position(['schema']));
  return { ...value, series: series(value.series), name, position };
}

/** Names of the folders in deploy-specs/ that hold a site, in order. */
export function siteNames(root: string): string[] {
  const folder = join(root, 'deploy-specs');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'site.yaml')))
    .sort();
}

/** deploy-specs/<name>/site.yaml below `root`. Raises `site-unknown` with the nearest name, and what `parseSite` raises. */
export function readSite(root: string, name: string): Site {
  const names = siteNames(root);
  if (!names.includes(name)) {
    const meant = nearest(name, names);
    const hint = meant === undefined ? `known sites: ${names.join(', ') || 'none'}` : `did you mean "${meant}"?`;
    throw new CcpError({ code: 'site-unknown', message: `there is no site "${name}" in deploy-specs`, hint });
  }
  const path = join(root, 'deploy-specs', name, 'site.yaml');
  const file = relative(root, path);
  const bytes = reading(file, () => readFileSync(path));
  return parseSite(decodeText(bytes, file), file, name);
}
