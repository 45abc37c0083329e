import type { AppSpec, Provision } from './app-spec.ts';
import { checkJobContainer } from './check-container.ts';
import { portsIn } from './check-ports.ts';
import type { SpecFindings } from './spec-findings.ts';

/** What an app says of its requirements that does not go with their kind. */
export function checkRequirements({ requires = {} }: AppSpec, { refuse }: SpecFindings): void {
  for (const [name, requirement] of Object.entries(requires)) {
    if (requirement.also !== undefined && requirement.kind !== 'database') refuse(['requires', name, 'also'], 'only a database has further databases');
    if (requirement.wait === false && requirement.kind !== 'endpoint')
      refuse(['requires', name, 'wait'], 'only an endpoint need not be waited for: the others are made before the app starts');
  }
}

/** What an app provides that does not go with its kind, or leads nowhere. */
export function checkProvision(spec: AppSpec, name: string, provision: Provision, found: SpecFindings): void {
  const { refuse, known } = found;
  const path = ['provides', name];
  for (const key of ['carries', 'catalogue', 'secret'] as const) {
    if (provision[key] !== undefined && provision.kind !== 'endpoint') refuse([...path, key], `only an endpoint has "${key}"`);
  }
  known([...path, 'workload'], 'workload', provision.workload, Object.keys(spec.workloads));
  if (spec.workloads[provision.workload]?.when !== undefined)
    refuse([...path, 'workload'], `what is provided must always run, and "${provision.workload}" runs only when something holds`);
  if (provision.kind === 'node-service') {
    if (provision.port !== undefined || provision.setup !== undefined) refuse(path, 'a node-service has neither port nor setup');
  } else if (provision.port === undefined) refuse(path, `what is of kind ${provision.kind} has a port`);
  else if (Object.hasOwn(spec.workloads, provision.workload)) known([...path, 'port'], 'port', provision.port, portsIn(spec.workloads[provision.workload]!));
  if (provision.secret !== undefined) {
    const passwords = Object.entries(spec.secrets ?? {}).flatMap(([secret, { generate }]) => (generate === 'password' ? [secret] : []));
    known([...path, 'secret'], 'password', provision.secret, passwords);
  }
  if (provision.setup !== undefined) checkJobContainer(spec, [...path, 'setup'], provision.setup, found);
}
