import { CcpError } from '#core';
import { SERVICE } from '../resources/kinds.ts';
import type { ManagedResource } from '../resources/types.ts';
import type { SourcedSite } from './context.ts';

/**
 * Refuses a site in another namespace than its resource, and a site of an OpenStackService with
 * other apps than the one that it names. Throws `operator-site-invalid`.
 */
export function refuseWrongSite(
  { kind, metadata, spec }: ManagedResource,
  { namespace, rendered }: SourcedSite,
): void {
  const refuse = (message: string, hint: string): CcpError =>
    new CcpError({ code: 'operator-site-invalid', message, hint });
  if (namespace !== metadata.namespace)
    throw refuse(
      `${kind}/${metadata.name} is in ${metadata.namespace}, but its site has the namespace ${namespace}`,
      'create the resource in the namespace of the site',
    );
  if (kind !== SERVICE.kind) return;
  const others = new Set(
    rendered.steps.flatMap(({ instance }) =>
      instance === undefined || instance === spec.app ? [] : [instance],
    ),
  );
  if (others.size > 0)
    throw refuse(
      `${kind}/${metadata.name} is for ${spec.app}, but its site also has ${[...others].sort().join(', ')}`,
      'remove these apps from the site, or use an OpenStackRelease',
    );
}
