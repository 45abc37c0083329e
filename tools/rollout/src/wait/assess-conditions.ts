import { asKind, type Condition, type LiveObject } from '#ports';
import {
  conditionText,
  DONE,
  isCurrentCondition,
  progressing,
  type Assessment,
} from './assessment.ts';

/** Done when the issued Certificate of this generation is in its Secret. */
export function assessCertificate(object: LiveObject): Assessment {
  return (
    unmetCondition(object, asKind('Certificate', object).status?.conditions, ['Ready']) ?? DONE
  );
}

/** Done when a Gateway of this generation accepts requests at all listeners. */
export function assessGateway(object: LiveObject): Assessment {
  const { conditions, listeners = [] } = asKind('Gateway', object).status ?? {};
  const [broken] = listeners.flatMap(({ name, conditions: own }) => {
    const bad = own?.find(
      ({ type, status }) =>
        (type === 'ResolvedRefs' || type === 'Programmed' || type === 'Accepted') &&
        status === 'False',
    );
    return bad === undefined
      ? []
      : [progressing(`its listener "${name}" does not accept requests: ${conditionText(bad)}`)];
  });
  return (
    unmetCondition(object, conditions, ['Accepted']) ??
    broken ??
    unmetCondition(object, conditions, ['Programmed']) ??
    DONE
  );
}

/** The first of these conditions that is not true for the current generation, as an assessment. */
function unmetCondition(
  object: LiveObject,
  conditions: readonly Condition[] = [],
  types: readonly string[],
): Assessment | undefined {
  for (const type of types) {
    const found = conditions.find((each) => each.type === type && isCurrentCondition(each, object));
    if (found === undefined) return progressing('its controller has not seen it yet');
    if (found.status !== 'True')
      return progressing(`is not ${type.toLowerCase()}: ${conditionText(found)}`);
  }
  return undefined;
}
