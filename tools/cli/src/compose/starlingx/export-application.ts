import { existsSync, rmSync } from 'node:fs';
import { CcpError } from '#core';
import { readSite } from '#definitions/deploy';
import { applicationFiles, bind, boundOrThrow, checkApplication } from '#site';
import type { CommandContext } from '../../command.ts';
import { writeNamed } from '../../state/named-file.ts';
import { statePaths } from '../../state/paths.ts';
import { UP_CONTEXT, withBundleSet } from '../deploy/bundle-set.ts';
import { siteToRender } from '../deploy/gated-site.ts';
import type { SetFlags } from '../deploy/open-site.ts';
import type { TrustFlags } from '../registry-place.ts';
import { applicationSources } from './application-sources.ts';
import { applicationTarball } from './application-tarball.ts';
import { throwApplicationErrors } from './application-errors.ts';
import { imagesToLoad, writeImageLayout } from './image-layout.ts';

export interface ApplicationExport extends SetFlags, TrustFlags {
  readonly name: string;
  readonly number: number;
  /** Default: `NAME-VERSION.tgz`. */
  readonly file?: string;
  /** Also writes a layout of the images. */
  readonly images: boolean;
}

export interface WrittenApplication {
  readonly file: string;
  readonly version: string;
  readonly charts: readonly string[];
  /** Folder of the images. */
  readonly layout?: string;
}

/**
 * Writes the application of a site, after a check by StarlingX's rules. Throws the errors of
 * `siteToRender`, the findings of `bind`, `image-missing`, `application-invalid` and `usage`.
 */
export async function exportApplication(
  context: Pick<CommandContext, 'root' | 'output' | 'flags'>,
  siteName: string,
  { name, number, file: named, images, ...given }: ApplicationExport,
): Promise<WrittenApplication> {
  const { root } = context;
  // The images of a bundle are copied to the store, as for the cluster of `ccp up`.
  const { set } = await withBundleSet(
    context,
    () => readSite(root, siteName),
    { ...given, context: UP_CONTEXT },
    { load: images },
  );
  const input = await siteToRender(context, siteName, set === undefined ? {} : { set });
  const sources = Object.entries(applicationSources(root, input)).map(([path, text]) => ({
    path,
    text,
  }));
  const application = applicationFiles(boundOrThrow(bind(input)), input, { name, number }, sources);
  const { version } = application;
  const file = named ?? `${name}-${version}.tgz`;
  if (existsSync(file))
    throw new CcpError({
      code: 'usage',
      message: `${file} exists already`,
      hint: 'raise --number: StarlingX keeps the charts of a version that it knows',
    });
  const tarball = await applicationTarball(application);
  throwApplicationErrors(file, (await checkApplication(file, tarball)).findings);
  const layout = images ? `${file.replace(/\.(?:tgz|tar\.gz)$/, '')}-images` : undefined;
  if (layout !== undefined) {
    const references = new Set(application.charts.flatMap(({ images }) => Object.values(images)));
    await writeImageLayout(layout, imagesToLoad(input, references), statePaths(root).store);
  }
  try {
    writeNamed(file, tarball);
  } catch (thrown) {
    // Without the tarball, the next export would refuse the folder.
    if (layout !== undefined) rmSync(layout, { recursive: true, force: true });
    throw thrown;
  }
  return {
    file,
    version,
    charts: application.charts.map((chart) => chart.name),
    ...(layout === undefined ? {} : { layout }),
  };
}
