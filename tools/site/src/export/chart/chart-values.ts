import type { KubernetesObject } from '#ports';
import type { SiteInput } from '../../model/types.ts';
import type { AcceptedParameter } from './accepted-parameters.ts';
import { imageKey, type ImageStyle } from './image-values.ts';
import type { TokenPlace } from './insert-tokens.ts';
import type { Place } from './find-places.ts';
import { TOKEN, tokenKey } from './symbols.ts';
import type { ChartValue } from './values-text.ts';

/** Everything that values.yaml of the charts of a site can change. */
export interface ChartValues {
  readonly accepted: readonly AcceptedParameter[];
  /** Places of the references of images by their names. */
  readonly images: ReadonlyMap<string, readonly Place[]>;
  readonly style: ImageStyle;
}

const parameterKey = (index: number): string => `parameter:${index}`;

/** The places of all values with the keys of their tokens. */
export function valuePlaces({ accepted, images }: ChartValues): readonly TokenPlace[] {
  return [
    ...accepted.flatMap(({ places }, index) =>
      places.map((place) => ({ ...place, key: parameterKey(index) })),
    ),
    ...[...images].flatMap(([name, places]) =>
      places.map((place) => ({ ...place, key: imageKey(name) })),
    ),
  ];
}

/** The expression of each value by the key of its token. Helm reads numbers as floating point. */
export function valueExpressions({
  accepted,
  images,
  style,
}: ChartValues): ReadonlyMap<string, string> {
  const ofParameter = ({ path, value }: AcceptedParameter['parameter']): string => {
    const found = `index .Values ${path.map((key) => JSON.stringify(key)).join(' ')}`;
    return typeof value === 'number' ? `${found} | int64` : found;
  };
  return new Map([
    ...accepted.map(
      ({ parameter }, index) => [parameterKey(index), ofParameter(parameter)] as const,
    ),
    ...[...images.keys()].map((name) => [imageKey(name), style.expression(name)] as const),
  ]);
}

/** The values that templates use, in the order of values.yaml. */
export function usedValues(
  templates: Iterable<KubernetesObject>,
  { accepted, images, style }: ChartValues,
  input: SiteInput,
): readonly ChartValue[] {
  const used = new Set(
    [...templates].flatMap((object) =>
      [...JSON.stringify(object).matchAll(TOKEN)].map(([, , hex]) => tokenKey(hex!)),
    ),
  );
  const names = [...images.keys()].filter((name) => used.has(imageKey(name))).sort();
  return [
    ...style.values(names, input),
    ...accepted.flatMap(({ parameter }, index) =>
      used.has(parameterKey(index)) ? [parameter] : [],
    ),
  ];
}
