import type { LiveObject } from '#ports';
import { conditionText, DONE, isOfNow, progressing, type Assessment, type Condition } from './assessment.ts';

interface ParentRef {
  readonly name: string;
  readonly namespace?: string;
  readonly sectionName?: string;
}

/** Done when every Gateway that an HTTPRoute is at takes this form of it, and finds what it leads to. */
export function assessRoute(object: LiveObject): Assessment {
  const { parentRefs = [] } = object['spec'] as { parentRefs?: readonly ParentRef[] };
  const { parents = [] } = (object['status'] ?? {}) as { parents?: readonly { readonly parentRef: ParentRef; readonly conditions?: readonly Condition[] }[] };
  for (const parent of parentRefs) {
    const where = `the Gateway "${parent.name}"`;
    const told = parents.find(({ parentRef }) => parentRef.name === parent.name && parentRef.sectionName === parent.sectionName)?.conditions ?? [];
    const of = (type: string): Condition | undefined => told.find((each) => each.type === type && isOfNow(each, object));
    const [accepted, resolved] = [of('Accepted'), of('ResolvedRefs')];
    if (accepted === undefined) return progressing(`the controller of ${where} has not seen it yet`);
    if (accepted.status !== 'True') return progressing(`${where} does not take it: ${conditionText(accepted)}`);
    if (resolved !== undefined && resolved.status !== 'True') return progressing(`${where} does not find what it leads to: ${conditionText(resolved)}`);
  }
  return DONE;
}
