import { expect, it } from 'vitest';
import { sampleImage, SAMPLE_SUMMARY, TRIXIE_SERIES } from '../testing/image-folder.ts';
import { locateStep } from './locate-step.ts';
import { renderDockerfile } from './render-dockerfile.ts';

const MACROS =
  '{% macro run(target) %}RUN --mount=type=tmpfs,target={{ target }} \\{% endmacro %}\n{% macro install(name) %}RUN apt-get install {{ name }}{% endmacro %}\n';
const TEMPLATE = `{% import "_shared/macros.njk" as ccp %}
ARG CCP_PARENT_BASE
FROM {{ parents.base }}
RUN echo {{ image.name }}
{{ ccp.run('/run') }}
    make \\
    && make install
{{ ccp.install('curl') }}
`;

it.each([
  ['[2/4] RUN echo sample', 'images/sample/Dockerfile.njk', 4],
  [
    '[3/4] RUN --mount=type=tmpfs,target=/run     make     && make install',
    'images/sample/Dockerfile.njk',
    6,
  ],
  ['[stage-1 4/4] RUN apt-get install curl', 'images/_shared/macros.njk', 2],
  ['[internal] load build context', undefined, undefined],
])('finds the template line of %s', (step, file, line) => {
  const definition = sampleImage({
    'sample/Dockerfile.njk': TEMPLATE,
    '_shared/macros.njk': MACROS,
  });
  const dockerfile = renderDockerfile({
    definition,
    series: TRIXIE_SERIES,
    summary: SAMPLE_SUMMARY,
  });
  expect(locateStep(definition, dockerfile, step)).toEqual(
    file === undefined ? undefined : { file, line },
  );
});
