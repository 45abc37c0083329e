import { Option } from 'commander';
import { CcpError, errorText } from '#core';
import type { Site } from '#definitions';
import type { Deletion } from '#rollout';
import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { CLUSTER } from '../../options.ts';
import { EXIT } from '../../report/exit-codes.ts';
import { errorJson, type Output } from '../../report/output.ts';

export interface DeleteFlags extends ClusterFlags {
  readonly claims?: boolean;
  readonly secrets?: boolean;
}

/**
 * `ccp deploy delete SITE`: shows what would be deleted; with `--yes` deletes it. Keeps claims and
 * Secrets unless flags select them.
 */
export const deleteCommand: CommandDefinition<DeleteFlags> = {
  usage: 'delete <site>',
  description: 'list the objects of a site in the cluster; with --yes, delete them',
  options: [
    new Option(
      '--claims',
      'also delete PersistentVolumeClaims and all their data, which cannot be undone',
    ),
    new Option('--secrets', 'also delete the Secrets that ccp generated'),
    ...CLUSTER,
  ],
  examples: ['ccp deploy delete example', 'ccp deploy delete example --yes --claims --secrets'],
  run: async (context, [name = ''], { claims = false, secrets = false, ...flags }) => {
    const { deleteSite, failureLines, planDeletion } = await import('#rollout');
    const { refuseManaged } = await import('../../compose/deploy/refuse-managed.ts');
    const { withCluster } = await import('../../compose/deploy/open-site.ts');
    const { output } = context;
    return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
      if (context.flags.yes !== true)
        return showDeletion(output, site, cluster.name, {
          found: await planDeletion(cluster, site),
          claims,
          secrets,
        });
      await refuseManaged(cluster, site, 'delete');
      const { failures, kept } = await deleteSite(cluster, site, { ...engine, claims, secrets });
      const text =
        failures.length > 0
          ? failures.flatMap((failure) => failureLines(failure, []))
          : [`${site.name} is deleted${kept.length === 0 ? '' : `; kept: ${kept.join(', ')}`}`];
      output.result(text.join('\n'), { failures, kept });
      if (engine.signal.aborted) return EXIT.cancelled;
      return failures.length > 0 ? EXIT.cluster : EXIT.done;
    });
  },
};

/** Lists the objects that a deletion removes and keeps; `usage` if there are any. */
function showDeletion(
  output: Output,
  site: Pick<Site, 'name' | 'namespace'>,
  cluster: string,
  {
    found,
    claims,
    secrets,
  }: { readonly found: Deletion } & Required<Pick<DeleteFlags, 'claims' | 'secrets'>>,
): number {
  const { members, namespaces } = found;
  if (members.length + found.claims.length + found.secrets.length === 0) {
    output.result(`nothing of ${site.name} is deployed in ${site.namespace} on ${cluster}`, found);
    return EXIT.done;
  }
  const line = (key: string, isDeleted: boolean): string =>
    isDeleted ? `  - ${key}` : `  = ${key} stays`;
  const names = found.claims.map(({ metadata }) => metadata.name);
  const refused = new CcpError({
    code: 'usage',
    message: 'nothing was deleted: the deletion was not confirmed',
    hint: 'confirm it with --yes',
  });
  output.result(
    [
      `would delete from ${site.name} in ${site.namespace} on ${cluster}:`,
      ...members.map(({ key }) => line(key, true)),
      ...names.map((name) => line(`PersistentVolumeClaim/${name}`, claims)),
      ...found.secrets.map((key) => line(key, secrets)),
      ...namespaces.map((key) => line(key, false)),
    ].join('\n'),
    {
      ...found,
      claims: names,
      secrets: found.secrets.map((key) => key.slice('Secret/'.length)),
      ...errorJson(refused),
    },
  );
  output.warn(errorText(refused));
  return EXIT.usage;
}
