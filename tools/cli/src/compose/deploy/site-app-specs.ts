import { relative } from 'node:path';
import { CcpError, collectErrors } from '#core';
import type { Site } from '#definitions';
import { parseAppSpec, readAppSpecsOf, readOverlayAppSpecs } from '#definitions/deploy';
import { openMemo } from '#host';
import type { ImageSet, SetAppSpec } from '#release';
import type { SiteInput } from '#site';
import type { Output } from '../../report/output.ts';
import { statePaths } from '../../state/paths.ts';
import { lastImageSet, readImageSet } from '../image-set.ts';
import { openProject } from '../plan.ts';
import { setAppSpecs } from '../set-app-specs.ts';

/** An image set and the file that it was read from. */
export interface NamedImageSet {
  readonly file: string;
  readonly set: ImageSet;
  /** True for the set of the workspace's last build. */
  readonly isLast: boolean;
}

/** The image set in `file`, or that of the last build. Throws the errors of reading them. */
export function namedImageSet(
  root: string,
  series: string,
  file: string | undefined,
): NamedImageSet {
  if (file !== undefined) return { file, set: readImageSet(file), isLast: false };
  const project = openProject(root, series);
  const path = project.paths.imageSet(project.series.name);
  return { file: relative(root, path), set: lastImageSet(project), isLast: true };
}

/**
 * The app specs of a site. They come from the image set, so that an older set is deployed with the
 * app specs it was built with; those of an overlay replace them. Without a set, with a set of
 * format 1, and for images that are not in the set, they come from the workspace. Throws all
 * findings.
 */
export function siteAppSpecs(
  { root, output }: { readonly root: string; readonly output: Pick<Output, 'info' | 'warn'> },
  site: Site,
  named: NamedImageSet | undefined,
): SiteInput['appSpecs'] {
  if (named === undefined) return readAppSpecsOf(root, site);
  const { set, file } = named;
  if (set.format === 1) {
    output.info(`${file} has format 1, without app specs: they are read from the workspace`);
    return readAppSpecsOf(root, site);
  }
  const overlay = readOverlayAppSpecs(root, site);
  const stored = new Map(
    set.images.map(({ name, app }): [string, SetAppSpec | undefined] => [name, app]),
  );
  const wanted = new Set(Object.entries(site.apps).map(([name, { app = name }]) => app));
  const absent = [...wanted].filter((name) => !overlay.has(name) && !stored.has(name));
  const fromFiles =
    absent.length === 0
      ? new Map<string, never>()
      : readAppSpecsOf(root, { apps: Object.fromEntries(absent.map((name) => [name, {}])) });
  const isKnown = (name: string): boolean =>
    overlay.has(name) || fromFiles.has(name) || stored.get(name) !== undefined;
  // For an unknown app, all names are known, so that a message can suggest the nearest one.
  const all = ![...wanted].every(isKnown);
  const fromSet = [...stored].flatMap(([name, app]) =>
    app === undefined || overlay.has(name) || !(all || wanted.has(name)) ? [] : [{ name, app }],
  );
  if (named.isLast) reportChanges(root, fromSet, output);
  return new Map([...fromFiles, ...parseSetAppSpecs(fromSet, file), ...overlay]);
}

/** The parsed app specs of an image set; `file` is its name in findings. Throws all findings. */
export function parseSetAppSpecs(
  stored: readonly { readonly name: string; readonly app: SetAppSpec }[],
  file: string,
): SiteInput['appSpecs'] {
  return new Map(
    collectErrors(
      stored.map(({ name, app: { files } }) => () => {
        const label = `${file}#${name}/app.yaml`;
        const spec = parseAppSpec(
          files['app.yaml']!,
          label,
          name,
          (part) => files[`config/${part}`],
        );
        return [name, spec] as const;
      }),
    ),
  );
}

/** Warns of app specs in the workspace that changed after the last build. */
function reportChanges(
  root: string,
  stored: readonly { readonly name: string; readonly app: SetAppSpec }[],
  { warn }: Pick<Output, 'warn'>,
): void {
  const memo = openMemo(statePaths(root).memo);
  const changed = stored
    .filter(({ name, app }) => {
      try {
        const now = setAppSpecs({ root, memo }, [name]).get(name);
        return now !== undefined && now.digest !== app.digest;
      } catch (thrown) {
        if (thrown instanceof CcpError) return true;
        throw thrown;
      }
    })
    .map(({ name }) => name);
  if (changed.length > 0)
    warn(
      `the image set has older app specs of ${changed.join(', ')}; run \`ccp build\` to update the set`,
    );
}
