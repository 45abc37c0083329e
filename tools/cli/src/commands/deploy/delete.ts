import { CcpError, errorText } from '#core';
import { deleteSite, failureLines, planDeletion } from '#deploy';
import { EXIT } from '../../exit-codes.ts';
import { errorJson } from '../../output.ts';
import type { CommandContext } from '../../program.ts';
import { withCluster, type ClusterFlags } from './open-site.ts';

export interface DeleteFlags extends ClusterFlags {
  readonly claims?: boolean;
  readonly secrets?: boolean;
}

/** `ccp deploy delete SITE`: shows what would go; with `--yes` deletes it. Claims and Secrets stay unless they are asked for. */
export async function deleteCommand(
  context: CommandContext,
  [name = '']: readonly string[],
  { claims = false, secrets = false, ...flags }: DeleteFlags,
): Promise<number> {
  const { output } = context;
  return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
    if (context.flags.yes !== true) {
      const found = await planDeletion(cluster, site);
      if (found.members.length + found.claims.length + found.secrets.length === 0) {
        output.result(`${cluster.name} has nothing of ${site.name} in ${site.namespace}`, { ...found });
        return 0;
      }
      const line = (what: string, gone: boolean): string => `  ${gone ? '-' : '='} ${what}${gone ? '' : ' stays'}`;
      const lines = [
        ...found.members.map(({ key }) => line(key, true)),
        ...found.claims.map(({ metadata }) => line(`PersistentVolumeClaim/${metadata.name}`, claims)),
        ...found.secrets.map((secret) => line(`Secret/${secret}`, secrets)),
        ...(found.namespace === undefined ? [] : [line(found.namespace, false)]),
      ];
      const refused = new CcpError({ code: 'usage', message: 'nothing was deleted: it was not confirmed', hint: 'add --yes' });
      output.result([`would delete of ${site.name} in ${site.namespace} on ${cluster.name}:`, ...lines].join('\n'), {
        ...found,
        claims: found.claims.map(({ metadata }) => metadata.name),
        ...(errorJson(refused) as object),
      });
      output.warn(errorText(refused));
      return EXIT.usage;
    }
    const { failures, kept } = await deleteSite(cluster, site, { ...engine, claims, secrets });
    const text =
      failures.length > 0
        ? failures.flatMap((failure) => failureLines(failure, []))
        : [`${site.name} is deleted${kept.length === 0 ? '' : `; these stay: ${kept.join(', ')}`}`];
    output.result(text.join('\n'), { failures, kept });
    if (engine.signal.aborted) return EXIT.cancelled;
    return failures.length > 0 ? EXIT.cluster : EXIT.done;
  });
}
