import { Option } from 'commander';
import { CcpError, counted, findingsIn, throwFindings } from '#core';
import type { CommandDefinition } from '../../command.ts';
import { conflictRules } from '../../compose/deploy/conflict-rules.ts';
import type { ClusterFlags, SetFlags } from '../../compose/deploy/open-site.ts';
import { CLUSTER, SET } from '../../options.ts';

export interface ValidateFlags extends ClusterFlags, SetFlags {
  readonly online?: boolean;
}

/**
 * `ccp deploy validate SITE`: reads and renders it; with `--online` also asks the cluster whether
 * it accepts each object, has nodes for the pods, the storage classes, the ingress controller and
 * the Secrets that a person creates.
 */
export const validate: CommandDefinition<ValidateFlags> = {
  usage: 'validate <site>',
  description: 'check that a site can be read and rendered',
  options: [
    new Option(
      '--online',
      'also check the cluster: that it accepts every object, and has the nodes, storage classes, Secrets and ingress controller of the site',
    ),
    SET,
    ...CLUSTER,
  ],
  examples: ['ccp deploy validate example', 'ccp deploy validate example --online'],
  run: async (context, [name = ''], flags) => {
    const { readSite } = await import('#definitions/deploy');
    const {
      checkNodes,
      checkPlan,
      checkSecrets,
      checkStorage,
      checkIngress,
      makePlan,
      secretNames,
    } = await import('#rollout');
    const { bind, boundOrThrow, instancesOfUnnamedNodes, render, renderedNamespaces } =
      await import('#site');
    const { siteInput, withCluster } = await import('../../compose/deploy/open-site.ts');
    const { root, output } = context;
    const bound = boundOrThrow(bind(siteInput(context, () => readSite(root, name), flags)));
    const rendered = render(bound);
    const objects =
      rendered.foundation.length +
      rendered.steps.reduce((sum, step) => sum + step.objects.length, 0);
    const summary = {
      site: name,
      objects,
      steps: rendered.steps.length,
      waves: Math.max(...rendered.steps.map(({ wave }) => wave)) + 1,
      secrets: rendered.secrets.length,
    };
    const steps = `${counted(summary.steps, 'step')} in ${counted(summary.waves, 'wave')}`;
    const text = `${name} is valid: ${counted(objects, 'object')}, ${steps}, ${counted(summary.secrets, 'Secret')}`;
    if (flags.online !== true) {
      output.result(text, summary);
      return 0;
    }
    return await withCluster(context, name, flags, async ({ site, cluster }) => {
      const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Node' });
      const unnamed = items.length > 1 ? instancesOfUnnamedNodes(bound) : [];
      if (unnamed.length > 0) {
        const shared = `pods of ${unnamed.join(', ')} use the network of their node, which most network policies cannot match`;
        output.warn(`${shared}; list the addresses of the nodes in cluster.nodes`);
      }
      const names = await secretNames(cluster, site, renderedNamespaces(rendered, site));
      await allOf([
        () => checkNodes(rendered, items, site),
        () => checkIngress(cluster, site),
        () => checkStorage(cluster, site, rendered),
        () => names !== undefined && checkSecrets(rendered, site, names),
        async () => {
          const plan = await makePlan(cluster, site, rendered, { rules: conflictRules({}, site) });
          checkPlan(plan);
          for (const { key, reason } of plan.objects)
            if (reason !== undefined && key.startsWith('Namespace/'))
              output.warn(`${key} ${reason}`);
        },
      ]);
      output.result(`${text}; ${cluster.name} accepts all objects and has nodes for all pods`, {
        ...summary,
        cluster: cluster.name,
        nodes: items.length,
      });
      return 0;
    });
  },
};

/** Runs all checks and throws their findings together; other errors are thrown immediately. */
export async function allOf(checks: readonly (() => unknown)[]): Promise<void> {
  const findings: CcpError[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (thrown) {
      if (!(thrown instanceof CcpError) || !thrown.code.startsWith('deploy-')) throw thrown;
      findings.push(...findingsIn(thrown));
    }
  }
  throwFindings(findings);
}
