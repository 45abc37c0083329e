import type { LiveObject } from '#ports';
import { conditionText, DONE, isOfNow, progressing, type Assessment, type Condition } from './assessment.ts';

interface ConditionsStatus {
  readonly conditions?: readonly Condition[];
  readonly listeners?: readonly { readonly name: string; readonly conditions?: readonly Condition[] }[];
}

/** Done when a Certificate of this form is in its Secret. */
export function assessCertificate(object: LiveObject): Assessment {
  return lacking(object, (object['status'] as ConditionsStatus | undefined)?.conditions, ['Ready']) ?? DONE;
}

/** Done when a Gateway of this form takes requests at all of its listeners. */
export function assessGateway(object: LiveObject): Assessment {
  const { conditions, listeners = [] } = (object['status'] ?? {}) as ConditionsStatus;
  const [broken] = listeners.flatMap(({ name, conditions: own }) => {
    const bad = own?.find(({ type, status }) => (type === 'ResolvedRefs' || type === 'Programmed' || type === 'Accepted') && status === 'False');
    return bad === undefined ? [] : [progressing(`its listener "${name}" takes no requests: ${conditionText(bad)}`)];
  });
  return lacking(object, conditions, ['Accepted']) ?? broken ?? lacking(object, conditions, ['Programmed']) ?? DONE;
}

/** What stands between an object and the first of these conditions that does not hold for its present form. */
function lacking(object: LiveObject, conditions: readonly Condition[] = [], types: readonly string[]): Assessment | undefined {
  for (const type of types) {
    const found = conditions.find((each) => each.type === type && isOfNow(each, object));
    if (found === undefined) return progressing('its controller has not seen it yet');
    if (found.status !== 'True') return progressing(`is not ${type.toLowerCase()}: ${conditionText(found)}`);
  }
  return undefined;
}
