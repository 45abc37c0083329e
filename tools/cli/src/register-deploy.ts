import { Option, type Command } from 'commander';
import { collect, count } from './option-values.ts';
import type { Verb } from './program.ts';

const CLUSTER = [
  new Option('--kubeconfig <file>', 'kubeconfig to use (KUBECONFIG or ~/.kube/config)'),
  new Option('--context <name>', "context of it (the site's)"),
];
const SET = new Option('--set <file>', "the image set's manifest; that of the last build where absent");
const CONTRACT = new Option('--contract', 'run the contract jobs too: the release before cannot come back after them');
const CONFLICTS = [
  new Option('--take <field>', 'take over a field that others have set: [KIND/NAME:]FIELD; may be repeated').argParser(collect),
  new Option('--leave <field>', 'leave a field to others that have set it; may be repeated').argParser(collect),
];
const CHECKS = new Option('--checks', 'then run the checks of its apps too');
const JOBS = new Option('-j, --jobs <number>', 'steps at the same time').argParser(count);

/** The commands about a running cloud, `ccp deploy ...`, as a group of the program. */
export function registerDeploy(program: Command, verb: Verb): void {
  const group = program.command('deploy').description('plan, apply and look after a site of deploy-specs/ on its cluster');
  const add: Verb = (usage, description, load, options) => verb(usage, description, load, options, group);
  add('validate <site>', 'read and render the site; with --online ask the cluster too', async () => (await import('./commands/deploy/validate.ts')).validate, [
    new Option('--online', 'ask the cluster whether it takes every object and has its nodes, storage classes, Secrets and ways in'),
    SET,
    ...CLUSTER,
  ]);
  add('plan <site>', 'say what an apply would do, and why; writes nothing', async () => (await import('./commands/deploy/plan.ts')).plan, [
    new Option('-o, --output <file>', 'write the plan file that `ccp deploy apply SITE FILE` takes'),
    SET,
    CONTRACT,
    ...CONFLICTS,
    ...CLUSTER,
  ]);
  add(
    'apply <site> [plan]',
    'make the cluster hold the site, or exactly what a plan file says',
    async () => (await import('./commands/deploy/apply.ts')).apply,
    [SET, CONTRACT, CHECKS, JOBS, ...CONFLICTS, ...CLUSTER],
  );
  add(
    'upgrade <site>',
    'apply another image set, once what runs is well and its contract is done',
    async () => (await import('./commands/deploy/upgrade.ts')).upgrade,
    [SET, CHECKS, JOBS, ...CONFLICTS, ...CLUSTER],
  );
  add(
    'scale <site> <workloads...>',
    'set replicas in site.yaml (APP.WORKLOAD=NUMBER) and apply',
    async () => (await import('./commands/deploy/scale.ts')).scale,
    [SET, CHECKS, JOBS, ...CONFLICTS, ...CLUSTER],
  );
  add('status <site>', 'show how every step of the newest revision is', async () => (await import('./commands/deploy/status.ts')).status, [
    new Option('-w, --watch', 'go on and show it again whenever it changes'),
    ...CLUSTER,
  ]);
  add('wait <site>', 'wait until the newest revision is well, or say why it will not be', async () => (await import('./commands/deploy/wait.ts')).wait, [
    CHECKS,
    ...CLUSTER,
  ]);
  add('diff <site>', 'show how the cluster has drifted from the newest revision', async () => (await import('./commands/deploy/diff.ts')).diff, [
    ...CONFLICTS,
    ...CLUSTER,
  ]);
  add('rollback <site>', 'go back to the last good revision', async () => (await import('./commands/deploy/rollback.ts')).rollback, [
    new Option('--to <revision>', 'go back to this revision').argParser(count),
    new Option('--plan', 'only show what it would do'),
    CHECKS,
    ...CONFLICTS,
    ...CLUSTER,
  ]);
  add(
    'history <site>',
    'list the revisions that the cluster keeps, and what actions ran',
    async () => (await import('./commands/deploy/history.ts')).history,
    CLUSTER,
  );
  add(
    'logs <site> <step>',
    'print the output of the pods of a step, like keystone/workload/api',
    async () => (await import('./commands/deploy/logs.ts')).logs,
    [
      new Option('--tail <lines>', 'last lines of each container').argParser(count),
      new Option('--previous', "of the containers' runs before the present ones"),
      ...CLUSTER,
    ],
  );
  const action = group.command('action').description('what the apps of a site can do on demand');
  verb(
    'list <site> [app]',
    'list the actions of what runs, with their parameters',
    async () => (await import('./commands/deploy/action.ts')).actionList,
    CLUSTER,
    action,
  );
  verb(
    'run <site> <app> <action>',
    'run an action in the cluster and print its output',
    async () => (await import('./commands/deploy/action.ts')).actionRun,
    [
      new Option('--param <name=value>', 'value of a parameter; one for each').argParser(collect),
      new Option('--revision <number>', 'run it as this revision has it; the newest where absent').argParser(count),
      SET,
      JOBS,
      ...CONFLICTS,
      ...CLUSTER,
    ],
    action,
  );
  add(
    'explain <site> <key>',
    'name every layer that sets a value, like keystone.replicas.api',
    async () => (await import('./commands/deploy/explain.ts')).explain,
    [SET],
  );
  add(
    'support-bundle <site>',
    'write status, drift, objects, events and output of all pods to one archive',
    async () => (await import('./commands/deploy/support-bundle.ts')).supportBundle,
    [new Option('-o, --output <file>', 'archive to write (.ccp/support/SITE-TIME.tar.gz)'), ...CLUSTER],
  );
  add('delete <site>', 'show what a deletion takes; with --yes delete it', async () => (await import('./commands/deploy/delete.ts')).deleteCommand, [
    new Option('--claims', 'delete claims, and with them all data'),
    new Option('--secrets', 'delete generated Secrets'),
    ...CLUSTER,
  ]);
}
