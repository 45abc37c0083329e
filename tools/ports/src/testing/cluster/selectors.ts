import type { LiveObject, Selection } from '../../cluster.ts';
import { isTree } from './field-path.ts';

/** Whether a selection includes an object. Field selectors can use any path of plain members. */
export function isSelected(
  object: LiveObject,
  { namespace, labelSelector, fieldSelector }: Selection,
): boolean {
  return (
    (namespace === undefined || object.metadata.namespace === namespace) &&
    requirements(labelSelector).every((each) => meetsLabel(object.metadata.labels ?? {}, each)) &&
    requirements(fieldSelector).every((each) => meetsField(object, each))
  );
}

function requirements(selector: string | undefined): readonly string[] {
  return (selector ?? '')
    .split(/,(?![^(]*\))/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

function meetsLabel(labels: Readonly<Record<string, string>>, requirement: string): boolean {
  const among = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(requirement);
  if (among !== null) {
    const value = labels[among[1] as string];
    const isIn =
      value !== undefined && (among[3] as string).split(',').some((each) => each.trim() === value);
    return (among[2] === 'in') === isIn;
  }
  const equal = /^([^=!\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(requirement);
  if (equal !== null) return (labels[equal[1] as string] === equal[3]) === (equal[2] !== '!=');
  return requirement.startsWith('!') ? !(requirement.slice(1) in labels) : requirement in labels;
}

function meetsField(object: LiveObject, requirement: string): boolean {
  const [, path = '', operator, wanted] = /^([^=!]+)(==|=|!=)(.*)$/.exec(requirement) ?? [];
  const found = path
    .split('.')
    .reduce<unknown>((at, member) => (isTree(at) ? at[member] : undefined), object);
  return (String(found ?? '') === wanted) === (operator !== '!=');
}
