import { asKind, type Condition, type LiveObject } from '#ports';
import {
  conditionText,
  DONE,
  isCurrentCondition,
  progressing,
  type Assessment,
} from './assessment.ts';

/**
 * Done when every parent Gateway accepts this generation of an HTTPRoute and resolves its backends.
 */
export function assessRoute(object: LiveObject): Assessment {
  const { parentRefs = [] } = asKind('HTTPRoute', object).spec;
  const { parents = [] } = asKind('HTTPRoute', object).status ?? {};
  for (const parent of parentRefs) {
    const where = `the Gateway "${parent.name}"`;
    const conditions =
      parents.find(
        ({ parentRef }) =>
          parentRef.name === parent.name && parentRef.sectionName === parent.sectionName,
      )?.conditions ?? [];
    const of = (type: string): Condition | undefined =>
      conditions.find((each) => each.type === type && isCurrentCondition(each, object));
    const [accepted, resolved] = [of('Accepted'), of('ResolvedRefs')];
    if (accepted === undefined)
      return progressing(`the controller of ${where} has not seen it yet`);
    if (accepted.status !== 'True')
      return progressing(`${where} does not accept it: ${conditionText(accepted)}`);
    if (resolved !== undefined && resolved.status !== 'True')
      return progressing(`${where} cannot resolve its backend: ${conditionText(resolved)}`);
  }
  return DONE;
}
