import type { ChartOverrides } from '#application';
import { yamlText } from '#formats';

/** The overrides of a chart: the result, and the layer of each value. */
export function overrideText({ chart, system, user, combined, layers }: ChartOverrides): string {
  const part = (title: string, values: object): readonly string[] => [
    `${title}:`,
    ...(Object.keys(values).length === 0
      ? ['  none']
      : yamlText(values)
          .trimEnd()
          .split('\n')
          .map((line) => `  ${line}`)),
  ];
  const paths = Object.entries(layers);
  return [
    chart,
    ...part('system overrides', system),
    ...part('user overrides', user),
    ...part('combined overrides', combined),
    ...(paths.length === 0 ? [] : ['layers:']),
    ...paths.map(([path, layer]) => `  ${path}: ${layer}`),
  ].join('\n');
}
