import type { AppSpec, Provision } from './app-spec.ts';
import { checkJobContainer } from './check-container.ts';
import { portsIn } from './check-ports.ts';
import type { SpecFindings } from './spec-findings.ts';

/** Refuses keys of requirements that their kind does not allow. */
export function checkRequirements({ requires = {} }: AppSpec, { refuse }: SpecFindings): void {
  for (const [name, requirement] of Object.entries(requires)) {
    if (requirement.also !== undefined && requirement.kind !== 'database')
      refuse(['requires', name, 'also'], 'only a requirement of kind database can have "also"');
    if (requirement.wait === false && requirement.kind !== 'endpoint')
      refuse(
        ['requires', name, 'wait'],
        'only a requirement of kind endpoint can have "wait: false": the others are created before the app starts',
      );
  }
}

/** Refuses keys of a provision that its kind does not allow, and unknown names. */
export function checkProvision(
  spec: AppSpec,
  name: string,
  provision: Provision,
  found: SpecFindings,
): void {
  const { refuse, known } = found;
  const path = ['provides', name];
  for (const key of ['carries', 'catalogue', 'secret'] as const) {
    if (provision[key] !== undefined && provision.kind !== 'endpoint')
      refuse([...path, key], `only a provision of kind endpoint can have "${key}"`);
  }
  known([...path, 'workload'], 'workload', provision.workload, Object.keys(spec.workloads));
  if (spec.workloads[provision.workload]?.when !== undefined)
    refuse(
      [...path, 'workload'],
      `the workload of a provision must not have a condition, but "${provision.workload}" has "when"`,
    );
  if (provision.kind === 'node-service') {
    if (provision.port !== undefined || provision.setup !== undefined)
      refuse(path, 'a provision of kind node-service cannot have a port or a setup');
  } else if (provision.port === undefined)
    refuse(path, `a provision of kind ${provision.kind} requires a port`);
  else if (Object.hasOwn(spec.workloads, provision.workload))
    known([...path, 'port'], 'port', provision.port, portsIn(spec.workloads[provision.workload]!));
  if (provision.secret !== undefined) {
    const passwords = Object.entries(spec.secrets ?? {}).flatMap(([secret, { generate }]) =>
      generate === 'password' ? [secret] : [],
    );
    known([...path, 'secret'], 'password', provision.secret, passwords);
  }
  if (provision.setup !== undefined)
    checkJobContainer(spec, [...path, 'setup'], provision.setup, found);
  else if (provision.retire !== undefined)
    refuse([...path, 'retire'], 'a provision without "setup" cannot have "retire"');
  if (provision.accounts === 'generation') {
    if (provision.retire === undefined)
      refuse(
        [...path, 'accounts'],
        'a provision without "retire" cannot have an account for each generation: no step would remove the earlier ones',
      );
    if (provision.kind !== 'message-bus' && provision.kind !== 'identity-user')
      refuse(
        [...path, 'accounts'],
        `only a provision of kind message-bus or identity-user can have an account for each generation, but it is of kind ${provision.kind}`,
      );
  }
}
