import type { Action, Check } from '#definitions';
import type { BoundAction } from '../model/bound.ts';
import { enabledSchedules } from '../model/enabled-schedules.ts';
import type { Instance } from '../model/instance.ts';
import type { SiteInput } from '../model/types.ts';
import { bindPod } from './bind-pod.ts';
import { mapValid, type Checked } from './checked.ts';
import type { ScopedInstance } from './instance-steps.ts';

/** An action or check of an instance, with its pod resolved or the findings about it. */
interface ActionOf {
  readonly instance: Instance;
  readonly kind: BoundAction['kind'];
  readonly name: string;
  readonly bound: Checked<BoundAction>;
}

/** Resolves the actions and checks of an instance. */
export function bindActions(
  of: ScopedInstance,
  input: Pick<SiteInput, 'site' | 'imageSet'>,
): ActionOf[] {
  const { actions = {}, checks = {} } = of.instance.spec;
  const each =
    (kind: BoundAction['kind']) =>
    ([name, action]: readonly [string, Action | Check]): ActionOf => ({
      instance: of.instance,
      kind,
      name,
      bound: bindAction(of, { kind, name, action }, input),
    });
  return [
    ...Object.entries(actions).map(each('action')),
    ...Object.entries(checks).map(each('check')),
  ];
}

/** Whether an enabled schedule of the site runs it. */
export function isScheduled({ instance, kind, name }: ActionOf): boolean {
  return (
    kind === 'action' &&
    enabledSchedules(instance).some((key) => instance.spec.schedule![key]!.action === name)
  );
}

function bindAction(
  { instance, scope }: ScopedInstance,
  { kind, name, action }: Omit<BoundAction, 'pod'>,
  input: Pick<SiteInput, 'site' | 'imageSet'>,
): Checked<BoundAction> {
  const parameters = 'parameters' in action ? Object.keys(action.parameters ?? {}) : [];
  const facts = new Map([
    ...scope.facts,
    ...parameters.map((parameter) => [`parameters.${parameter}`, [{ parameter }]] as const),
  ]);
  const path = [kind === 'check' ? 'checks' : 'actions', name];
  const containers = { [name]: { spec: action, path } };
  return mapValid(bindPod({ instance, scope: { ...scope, facts }, containers }, input), (pod) => ({
    kind,
    name,
    action,
    pod,
  }));
}
