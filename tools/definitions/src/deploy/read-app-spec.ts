import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CcpError, CcpErrors, throwFindings } from '#core';
import { loadSchema } from '../json-schema.ts';
import { parseYaml } from '../parse-yaml.ts';
import { runMemo } from '../run-memo.ts';
import { readLayers } from '../workspace-layers.ts';
import type { AppSpec } from './app-spec.ts';
import { checkAppSpec } from './check-app-spec.ts';
import { checkImageUser } from './check-image-user.ts';
import { checkVocabulary } from './spec-version.ts';

const SCHEMA = new URL('../../schemas/app-spec.schema.json', import.meta.url);

/** An app spec from its text. Raises `yaml-invalid`, `vocabulary-version` or `app-spec-invalid` with all findings. */
export function parseAppSpec(text: string, file: string, name: string): AppSpec {
  const { value, position } = parseYaml<Omit<AppSpec, 'name' | 'position'>>(text, file, loadSchema(SCHEMA));
  checkVocabulary(value.schema, position(['schema']));
  const spec: AppSpec = { ...value, name, position };
  throwFindings(checkAppSpec(spec));
  return spec;
}

/**
 * Every images/<name>/app.yaml below `root`, by name, and those of the workspaces it overlays whose names it does not have. Raises the findings of all of them together, `app-user` where a container
 * would run as another user than its image's.
 */
export function readAppSpecs(root: string): ReadonlyMap<string, AppSpec> {
  const specs = new Map<string, AppSpec>();
  const findings: CcpError[] = [];
  const roots = readLayers(resolve(root), runMemo()).map((layer) => layer.root).reverse();
  const inImages = (path: string): string | undefined => roots.map((each) => join(each, 'images', path)).find((file) => existsSync(file));
  const names = new Set(roots.map((each) => join(each, 'images')).filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder)));
  for (const name of [...names].sort()) {
    const file = inImages(`${name}/app.yaml`);
    if (file === undefined) continue;
    try {
      const spec = parseAppSpec(readFileSync(file, 'utf8'), relative(root, file), name);
      specs.set(name, spec);
      const image = inImages(`${name}/image.yaml`);
      if (image !== undefined) findings.push(...checkImageUser(spec, image, relative(root, image)));
    } catch (error) {
      if (error instanceof CcpErrors) findings.push(...error.findings);
      else if (error instanceof CcpError) findings.push(error);
      else throw error;
    }
  }
  throwFindings(findings);
  return specs;
}
