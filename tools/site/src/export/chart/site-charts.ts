import type { KubernetesObject } from '#ports';
import { bind } from '../../bind/bind.ts';
import { addGates } from '../../gates/add-gates.ts';
import { gateImage } from '../../gates/gate-image.ts';
import type { Bound } from '../../model/bound.ts';
import type { SiteInput } from '../../model/types.ts';
import { render } from '../../render/render.ts';
import type { ExportFile } from '../export-file.ts';
import { acceptParameters } from './accepted-parameters.ts';
import { chartObjects, type ChartObject } from './chart-objects.ts';
import { usedValues, valueExpressions, valuePlaces } from './chart-values.ts';
import { findImages } from './find-images.ts';
import type { ImageStyle } from './image-values.ts';
import { insertTokens } from './insert-tokens.ts';
import { parametersOf } from './parameters-of.ts';
import { symbolise, type SymbolicObjects } from './symbols.ts';
import { dynamicKeys, templateText } from './template-text.ts';
import type { ChartValue } from './values-text.ts';

/** Values and templates of a chart. */
export interface ChartPart {
  readonly values: readonly ChartValue[];
  readonly templates: readonly ExportFile[];
}

/** The charts of a site, with gates. */
export interface SiteCharts {
  /** Objects that belong to no instance. */
  readonly common: ChartPart;
  /** The chart of each instance by its name. */
  readonly instances: ReadonlyMap<string, ChartPart>;
  /** The values below `global` that any chart uses. */
  readonly globals: readonly ChartValue[];
}

/**
 * Values and templates of the charts of a site. With its default values, Helm makes the objects of
 * `render`; with another value, those of the site with that value.
 */
export function siteCharts(bound: Bound, input: SiteInput, style: ImageStyle): SiteCharts {
  const { site, instances } = bound;
  const objects = gatedObjects(bound, input);
  const symbols = symbolise(objects.map(({ object }) => object));
  const chartOf = new Map(
    [...symbols.objects.keys()].map((key, index) => [key, objects[index]!.instance] as const),
  );
  const values = {
    accepted: acceptParameters(parametersOf(input, instances), symbols, chartOf, symbolsOf),
    images: findImages(symbols.objects, input),
    style,
  };
  const templates = insertTokens(symbols.objects, valuePlaces(values));
  const expressions = {
    ofValue: valueExpressions(values),
    dynamic: dynamicKeys(templates),
    symbols,
  };
  const chart = (instance?: string): ChartPart => {
    const own = [...templates].filter(([key]) => chartOf.get(key) === instance);
    return {
      values: usedValues(
        own.map(([, object]) => object),
        values,
        input,
      ),
      templates: own.map(([key, object]) => ({
        path: templatePath(key, object, site.namespace),
        text: templateText(key, object, expressions),
      })),
    };
  };
  return {
    common: chart(),
    instances: new Map([...instances.keys()].map((name) => [name, chart(name)])),
    globals: usedValues(templates.values(), values, input).filter(isGlobal),
  };
}

/** Whether a value is below `global`, for all charts of a release. */
export function isGlobal({ path }: ChartValue): boolean {
  return path[0] === 'global';
}

function gatedObjects(bound: Bound, input: SiteInput): readonly ChartObject[] {
  const gated = addGates(render(bound), input.site, gateImage(input));
  return chartObjects(gated, input.site, new Set(bound.instances.keys()));
}

/** The objects of another input; undefined if it has findings. */
function symbolsOf(input: SiteInput): SymbolicObjects | undefined {
  const bound = bind(input);
  if (!('site' in bound)) return undefined;
  return symbolise(gatedObjects(bound, input).map(({ object }) => object));
}

function templatePath(key: string, { metadata }: KubernetesObject, namespace: string): string {
  const [kind = '', of = '', name = ''] = key.split('/');
  const isTest = metadata.annotations?.['helm.sh/hook'] === 'test';
  const prefix = of === namespace || of === '' ? '' : `${of}.`;
  return `templates/${isTest ? 'tests/' : ''}${prefix}${kind.toLowerCase()}-${name}.yaml`;
}
