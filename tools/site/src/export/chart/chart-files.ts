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
import { chartMetadata, IMAGE_HELPER, namespaceGuard, notesText } from './chart-parts.ts';
import { usedValues, valueExpressions, valuePlaces } from './chart-values.ts';
import { findImages } from './find-images.ts';
import { insertTokens } from './insert-tokens.ts';
import { parametersOf } from './parameters-of.ts';
import { symbolise, type SymbolicObjects } from './symbols.ts';
import { dynamicKeys, templateText } from './template-text.ts';
import { valuesSchema, valuesText, type ChartValue } from './values-text.ts';

/**
 * Files of the Helm charts of a site: a chart for each instance below a chart of the site, with
 * gates. With its default values, Helm makes the objects of `render`; with another value, those of
 * the site with that value.
 */
export function chartFiles(bound: Bound, input: SiteInput, version: string): ExportFile[] {
  const { site, instances } = bound;
  const objects = gatedObjects(bound, input);
  const symbols = symbolise(objects.map(({ object }) => object));
  const chartOf = new Map(
    [...symbols.objects.keys()].map((key, index) => [key, objects[index]!.instance] as const),
  );
  const values = {
    accepted: acceptParameters(parametersOf(input, instances), symbols, chartOf, symbolsOf),
    images: findImages(symbols.objects, input),
  };
  const templates = insertTokens(symbols.objects, valuePlaces(values));
  const expressions = {
    ofValue: valueExpressions(values),
    dynamic: dynamicKeys(templates),
    symbols,
  };
  const names = [...instances.keys()];
  const chart = (instance?: string) => {
    const own = [...templates].filter(([key]) => chartOf.get(key) === instance);
    return {
      values: usedValues(
        own.map(([, object]) => object),
        values,
        input,
      ),
      files: own.map(([key, object]) => ({
        path: templatePath(key, object, site.namespace),
        text: templateText(key, object, expressions),
      })),
    };
  };
  const charts = names.map((name) => ({ name, ...chart(name) }));
  const top = chart();
  const all: readonly ChartValue[] = [
    ...usedValues(templates.values(), values, input).filter(isGlobal),
    ...charts.flatMap(({ name, values: own }) =>
      own
        .filter((value) => !isGlobal(value))
        .map((value) => ({ ...value, path: [name, ...value.path] })),
    ),
  ];
  return [
    { path: 'Chart.yaml', text: chartMetadata(site.name, version, site, names) },
    { path: 'values.yaml', text: valuesText(all) },
    { path: 'values.schema.json', text: valuesSchema(all.filter(isGlobal), names) },
    { path: 'templates/_image.tpl', text: IMAGE_HELPER },
    { path: 'templates/namespace.yaml', text: namespaceGuard(site.namespace) },
    { path: 'templates/NOTES.txt', text: notesText(site.name) },
    ...top.files,
    ...charts.flatMap(({ name, values: own, files }) =>
      [
        { path: 'Chart.yaml', text: chartMetadata(name, version, site, []) },
        { path: 'values.yaml', text: valuesText(own) },
        {
          path: 'values.schema.json',
          text: valuesSchema(
            own.filter((value) => !isGlobal(value)),
            ['global'],
          ),
        },
        { path: 'templates/_image.tpl', text: IMAGE_HELPER },
        ...files,
      ].map(({ path, text }) => ({ path: `charts/${name}/${path}`, text })),
    ),
  ];
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

function isGlobal({ path }: ChartValue): boolean {
  return path[0] === 'global';
}

function templatePath(key: string, { metadata }: KubernetesObject, namespace: string): string {
  const [kind = '', of = '', name = ''] = key.split('/');
  const isTest = metadata.annotations?.['helm.sh/hook'] === 'test';
  const prefix = of === namespace || of === '' ? '' : `${of}.`;
  return `templates/${isTest ? 'tests/' : ''}${prefix}${kind.toLowerCase()}-${name}.yaml`;
}
