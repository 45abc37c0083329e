import { join } from 'node:path';
import type { ApplicationEngine, ApplicationSite, ApplySteps } from '#application';
import { omitUndefined } from '#core';
import type { CommandContext } from '../../command.ts';
import { statePaths } from '../../state/paths.ts';
import { refuseManaged } from '../deploy/refuse-managed.ts';
import type { ClusterFlags } from '../deploy/open-site.ts';
import type { TrustFlags } from '../registry-place.ts';
import { hooksOf, type HookFlags } from './call-hooks.ts';
import { loadApplicationImages } from './load-images.ts';
import { renderApplication, type RenderedApplication } from './render-application.ts';
import { writeCredentials, type CredentialFiles } from './write-credentials.ts';

export interface ApplyStepFlags extends ClusterFlags, TrustFlags, HookFlags {
  readonly images?: string;
  readonly credentials?: string;
}

/** The steps of an apply, and the files that they have written. */
export interface CommandSteps {
  readonly steps: ApplySteps;
  readonly files: () => CredentialFiles | undefined;
}

/** The steps around an apply for the flags of its command. Throws the errors of `hooksOf`. */
export function applySteps(
  context: Pick<CommandContext, 'root' | 'output'>,
  { cluster }: Pick<ApplicationEngine, 'cluster'>,
  flags: ApplyStepFlags,
): CommandSteps {
  const callHooks = hooksOf(flags);
  let files: CredentialFiles | undefined;
  return {
    files: () => files,
    steps: {
      render: renderApplication,
      check: async ({ site }) => await refuseManaged(cluster, site),
      prepare: async (site) => {
        if (flags.images === undefined) return;
        const target = { ...flags, context: flags.context ?? cluster.name };
        await loadApplicationImages(context, site as RenderedApplication, flags.images, target);
      },
      complete: async (applied: ApplicationSite, { name, version }) => {
        const { identity, input } = applied as RenderedApplication;
        if (identity === undefined) return;
        const folder =
          flags.credentials ?? join(statePaths(context.root).folder, 'applications', name);
        files = writeCredentials(folder, {
          name,
          identity,
          ...omitUndefined({ ca: input.site.tls?.ca }),
          kubectl: [
            ...(flags.kubeconfig === undefined ? [] : ['--kubeconfig', flags.kubeconfig]),
            ...(flags.context === undefined ? [] : ['--context', flags.context]),
          ],
        });
        await callHooks({
          application: name,
          version,
          site: input.site.name,
          namespace: input.site.namespace,
          identity,
        });
      },
    },
  };
}
