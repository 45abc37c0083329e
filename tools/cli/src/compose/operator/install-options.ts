import { CcpError } from '#core';
import { readSite } from '#definitions/deploy';
import { operatorObjects, type AdmittedSite } from '#operator';
import type { KubernetesObject } from '#ports';
import type { CommandContext } from '../../command.ts';
import type { TrustFlags } from '../registry-place.ts';
import { renderOffline } from '../deploy/gated-site.ts';
import type { SetFlags } from '../deploy/open-site.ts';

/** Flags of the commands that make the objects of an operator. */
export interface OperatorObjectFlags extends SetFlags, TrustFlags {
  readonly namespace: string;
  readonly image?: string;
  readonly replicas?: number;
  readonly webhook?: string;
}

/** Image that has ccp. */
const IMAGE = 'entrypoint';

/**
 * The objects of an operator that may reconcile these sites. Without `--image`, its image is that
 * of the first site's image set. Throws `usage` and the errors of rendering the sites.
 */
export async function objectsOfOperator(
  context: Pick<CommandContext, 'root' | 'output' | 'flags'>,
  names: readonly string[],
  { namespace, image, replicas, webhook, ...given }: OperatorObjectFlags,
): Promise<readonly KubernetesObject[]> {
  const sites: AdmittedSite[] = [];
  let own = image;
  for (const name of names) {
    const { input, rendered } = await renderOffline(context, name, { ...given, gates: false });
    const { registry, namespace: home } = readSite(context.root, name);
    const found = input.imageSet.images.find((each) => each.name === IMAGE);
    own ??= found === undefined ? undefined : `${registry}/${IMAGE}@${found.digest}`;
    sites.push({ name, namespace: home, rendered });
  }
  if (own === undefined)
    throw new CcpError({
      code: 'usage',
      message: `the operator has no image: the image set does not contain ${IMAGE}`,
      hint: 'name an image that has ccp by digest: --image HOST/PATH@sha256:DIGEST',
    });
  return operatorObjects({
    namespace,
    image: own,
    sites,
    ...(replicas === undefined ? {} : { replicas }),
    ...(webhook === undefined ? {} : { webhook }),
  });
}
