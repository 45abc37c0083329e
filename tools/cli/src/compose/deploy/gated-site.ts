import { CcpError } from '#core';
import { readSite } from '#definitions/deploy';
import type { ImageSet } from '#release';
import {
  addGates,
  bind,
  boundOrThrow,
  gateImage,
  render,
  type RenderedSite,
  type SiteInput,
} from '#site';
import type { CommandContext } from '../../command.ts';
import type { TrustFlags } from '../registry-place.ts';
import { withBundleSet } from './bundle-set.ts';
import { siteInput, type SetFlags } from './open-site.ts';

/** A site that is read for a command without a cluster, and its objects. */
export interface OfflineSite {
  readonly input: SiteInput & { readonly imageSet: ImageSet };
  readonly rendered: RenderedSite;
}

/**
 * The input of `bind` for a command without a cluster. Throws `usage` if another series is named,
 * and the errors of `withBundleSet` and `siteInput`.
 */
export async function siteToRender(
  { root, output, flags }: Pick<CommandContext, 'root' | 'output' | 'flags'>,
  name: string,
  given: SetFlags & TrustFlags,
): Promise<OfflineSite['input']> {
  const { set } = await withBundleSet({ root, output }, () => readSite(root, name), given, {
    load: false,
  });
  return siteInput(
    { root, output },
    () => {
      const site = readSite(root, name);
      if (flags.series !== undefined && flags.series !== site.series)
        throw new CcpError({
          code: 'usage',
          message: `the site ${name} uses series ${site.series}, not ${flags.series}`,
        });
      return site;
    },
    set === undefined ? {} : { set },
  );
}

/**
 * The objects of a site, with gates if they are wanted. Throws the errors of `siteToRender`, the
 * findings of `bind`, and with gates `image-missing`.
 */
export async function renderOffline(
  context: Pick<CommandContext, 'root' | 'output' | 'flags'>,
  name: string,
  { gates, ...given }: SetFlags & TrustFlags & { readonly gates: boolean },
): Promise<OfflineSite> {
  const input = await siteToRender(context, name, given);
  const rendered = render(boundOrThrow(bind(input)));
  return { input, rendered: gates ? addGates(rendered, input.site, gateImage(input)) : rendered };
}
