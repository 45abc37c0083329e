import { Option, type Command } from 'commander';
import type { RegisterCommand } from './command.ts';
import { collect, count } from './commands/option-values.ts';

const CLUSTER = [
  new Option('--kubeconfig <file>', 'kubeconfig file (default: KUBECONFIG or ~/.kube/config)'),
  new Option('--context <name>', 'kubeconfig context (default: cluster.context of the site)'),
];
const SET = new Option(
  '--set <file>',
  'manifest of the image set to deploy (default: that of the last build)',
);
const CONTRACT = new Option(
  '--contract',
  'also run the contract jobs, after which a rollback to the previous release is impossible',
);
const CONFLICTS = [
  new Option(
    '--take <field>',
    'take ownership of a field that another field manager set: [KIND/NAME:]FIELD; repeatable',
  ).argParser(collect),
  new Option(
    '--leave <field>',
    'leave a field to the field manager that set it: [KIND/NAME:]FIELD; repeatable',
  ).argParser(collect),
];
const CHECKS = new Option('--checks', 'run the checks of the apps afterwards');
const JOBS = new Option('-j, --jobs <number>', 'number of steps to run in parallel').argParser(
  count,
);

/** Registers the group `ccp deploy`: the commands for a running cloud. */
export function registerDeploy(program: Command, verb: RegisterCommand): void {
  const group = program
    .command('deploy')
    .description('deploy a site of deploy-specs/ to its cluster, and operate it');
  const add: RegisterCommand = (usage, description, load, options) =>
    verb(usage, description, load, options, group);
  add(
    'validate <site>',
    'check that a site can be read and rendered; with --online also check the cluster',
    async () => (await import('./commands/deploy/validate.ts')).validate,
    [
      new Option(
        '--online',
        'also check that the cluster accepts every object and has the nodes, storage classes, Secrets and ingress',
      ),
      SET,
      ...CLUSTER,
    ],
  );
  add(
    'plan <site>',
    'show what apply would change, and why; changes nothing',
    async () => (await import('./commands/deploy/plan.ts')).plan,
    [
      new Option('-o, --output <file>', 'write a plan file, for `ccp deploy apply SITE FILE`'),
      SET,
      CONTRACT,
      ...CONFLICTS,
      ...CLUSTER,
    ],
  );
  add(
    'apply <site> [plan]',
    'deploy a site, or exactly the changes in a plan file',
    async () => (await import('./commands/deploy/apply.ts')).apply,
    [SET, CONTRACT, CHECKS, JOBS, ...CONFLICTS, ...CLUSTER],
  );
  add(
    'upgrade <site>',
    'deploy another image set, if the running release is healthy and its contract jobs are done',
    async () => (await import('./commands/deploy/upgrade.ts')).upgrade,
    [SET, CHECKS, JOBS, ...CONFLICTS, ...CLUSTER],
  );
  add(
    'scale <site> <workloads...>',
    'set replicas in site.yaml (APP.WORKLOAD=NUMBER) and apply the site',
    async () => (await import('./commands/deploy/scale.ts')).scale,
    [SET, CHECKS, JOBS, ...CONFLICTS, ...CLUSTER],
  );
  add(
    'status <site>',
    'show the state of every step and object of the newest revision; exits with 7 if it is not healthy',
    async () => (await import('./commands/deploy/status.ts')).status,
    [new Option('-w, --watch', 'keep running and show every change'), ...CLUSTER],
  );
  add(
    'wait <site>',
    'wait until the newest revision is healthy, or report why it cannot become healthy',
    async () => (await import('./commands/deploy/wait.ts')).wait,
    [CHECKS, ...CLUSTER],
  );
  add(
    'diff <site>',
    'show differences between the cluster and the newest revision',
    async () => (await import('./commands/deploy/diff.ts')).diff,
    [...CONFLICTS, ...CLUSTER],
  );
  add(
    'rollback <site>',
    'roll back to the last good revision',
    async () => (await import('./commands/deploy/rollback.ts')).rollback,
    [
      new Option('--to <revision>', 'revision to roll back to').argParser(count),
      new Option('--plan', 'only show what the rollback would change'),
      CHECKS,
      ...CONFLICTS,
      ...CLUSTER,
    ],
  );
  add(
    'history <site>',
    'list the revisions stored in the cluster, and past runs of actions and checks',
    async () => (await import('./commands/deploy/history.ts')).history,
    CLUSTER,
  );
  add(
    'logs <site> <step>',
    'print the pod logs of a step, like keystone/workload/api',
    async () => (await import('./commands/deploy/logs.ts')).logs,
    [
      new Option(
        '--tail <lines>',
        'number of last lines to print for each container (default: 100)',
      ).argParser(count),
      new Option('--previous', 'print the logs of the previous run of each container'),
      ...CLUSTER,
    ],
  );
  const action = group
    .command('action')
    .description('list or run actions that the apps of a site define');
  verb(
    'list <site> [app]',
    'list the actions of the running revision, with their parameters',
    async () => (await import('./commands/deploy/action.ts')).actionList,
    CLUSTER,
    action,
  );
  verb(
    'run <site> <app> <action>',
    'run an action in the cluster and print its output',
    async () => (await import('./commands/deploy/action.ts')).actionRun,
    [
      new Option('--param <name=value>', 'set a parameter of the action; repeatable').argParser(
        collect,
      ),
      new Option(
        '--revision <number>',
        'revision that defines the action (default: the newest)',
      ).argParser(count),
      SET,
      JOBS,
      ...CONFLICTS,
      ...CLUSTER,
    ],
    action,
  );
  add(
    'explain <site> <key>',
    'show every layer that sets a value, like keystone.replicas.api',
    async () => (await import('./commands/deploy/explain.ts')).explain,
    [SET],
  );
  add(
    'support-bundle <site>',
    'write status, drift, objects, events and pod logs to one archive',
    async () => (await import('./commands/deploy/support-bundle.ts')).supportBundle,
    [
      new Option(
        '-o, --output <file>',
        'archive to write (default: .ccp/support/SITE-TIME.tar.gz)',
      ),
      ...CLUSTER,
    ],
  );
  add(
    'delete <site>',
    'show what would be deleted; with --yes delete the site from the cluster',
    async () => (await import('./commands/deploy/delete.ts')).deleteCommand,
    [
      new Option('--claims', 'also delete PersistentVolumeClaims and all their data'),
      new Option('--secrets', 'also delete generated Secrets'),
      ...CLUSTER,
    ],
  );
}
