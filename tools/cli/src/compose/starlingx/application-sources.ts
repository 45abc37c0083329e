import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, CcpError, isRecord, parseDocument, type Json } from '#core';
import { parseAppSpec, parseSite, readOverlayAppSpecs } from '#definitions/deploy';
import { openMemo } from '#host';
import { imageSetText, parseImageSet, type ImageSet, type SetAppSpec } from '#release';
import { bind, boundOrThrow, render, type SiteInput } from '#site';
import { statePaths } from '../../state/paths.ts';
import { setAppSpecs } from '../set-app-specs.ts';

/** Files of an application from which its site can be rendered. */
const FILES = {
  name: 'ccp/application.json',
  site: 'ccp/site.yaml',
  set: 'ccp/image-set.json',
  specs: 'ccp/app-specs.json',
} as const;

/** The paths of these files. */
export const SOURCE_FILES: readonly string[] = Object.values(FILES);

/** Texts by path. */
type Sources = Readonly<Record<string, string>>;

/**
 * The sources of a site: its site.yaml, and its image set with the app specs that it was rendered
 * with. Throws `application-invalid` if they would render other objects.
 */
export function applicationSources(
  root: string,
  input: SiteInput & { readonly imageSet: ImageSet },
): Sources {
  const { site, imageSet } = input;
  const memo = openMemo(statePaths(root).memo);
  const overlaid = readOverlayAppSpecs(root, site);
  const stored = new Map<string, SetAppSpec | undefined>(
    imageSet.images.map(({ name, app }) => [name, app]),
  );
  const names = [...new Set(Object.entries(site.apps).map(([name, { app = name }]) => app))].sort();
  const own: ReadonlyMap<string, SetAppSpec> = setAppSpecs(
    { root, memo },
    names.filter((name) => overlaid.has(name) || stored.get(name) === undefined),
  );
  const specs = Object.fromEntries(
    names.flatMap((name) => {
      const spec = own.get(name) ?? stored.get(name);
      return spec === undefined ? [] : [[name, spec.files]];
    }),
  );
  const sources = {
    [FILES.name]: `${canonicalJson({ format: 1, site: site.name })}\n`,
    [FILES.site]: readFileSync(join(root, 'deploy-specs', site.name, 'site.yaml'), 'utf8'),
    [FILES.set]: imageSetText(imageSet),
    [FILES.specs]: `${canonicalJson({ format: 1, specs })}\n`,
  };
  const objects = (from: SiteInput): string =>
    canonicalJson(render(boundOrThrow(bind(from))) as unknown as Json);
  if (objects(sourcesInput(sources, 'the exported application')) !== objects(input))
    throw new CcpError({
      code: 'application-invalid',
      message: `the files of ${site.name} in the tarball would render other objects`,
      hint: 'report it: this is a fault of ccp',
    });
  return sources;
}

/**
 * The input of `bind` from an application's sources; `file` is the name of its tarball, and
 * `siteText` changes the text of its site. Throws `application-invalid` if files are missing, and
 * the errors of their readers.
 */
export function sourcesInput(
  sources: Sources,
  file: string,
  siteText = (text: string): string => text,
): SiteInput & { readonly imageSet: ImageSet } {
  const refuse = (what: string): CcpError =>
    new CcpError({
      code: 'application-invalid',
      message: `${file} ${what}`,
      hint: 'write it with `ccp export tarball`',
    });
  const text = (path: string): string => {
    const found = sources[path];
    if (found === undefined) throw refuse(`has no ${path}`);
    return found;
  };
  const document = (path: string): Readonly<Record<string, unknown>> =>
    parseDocument(text(path), {
      invalid: (what) => refuse(`has a ${path} that is invalid: ${what}`),
      otherFormat: (what) => refuse(`has a ${path} that ${what}`),
    });
  const name = String(document(FILES.name)['site']);
  const site = parseSite(siteText(text(FILES.site)), `${file}#${FILES.site}`, name);
  const imageSet = parseImageSet(text(FILES.set), `${file}#${FILES.set}`);
  const { specs } = document(FILES.specs);
  if (!isRecord(specs)) throw refuse(`has a ${FILES.specs} without specs`);
  const appSpecs = new Map(
    Object.entries(specs).map(([app, files]) => {
      const part = (path: string): string | undefined => {
        const found = isRecord(files) ? files[path] : undefined;
        return typeof found === 'string' ? found : undefined;
      };
      const spec = parseAppSpec(part('app.yaml') ?? '', `${file}#${app}/app.yaml`, app, (path) =>
        part(`config/${path}`),
      );
      return [app, spec] as const;
    }),
  );
  return { site, imageSet, appSpecs };
}
