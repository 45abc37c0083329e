import { isMet } from '../model/is-met.ts';
import { groupsOf, type ExplainedApp } from './explained-app.ts';
import { known, type Explanation, type Layer } from './explanation.ts';
import { placed } from './placed.ts';

/** `FILE.SECTION.OPTION` of an app's configuration, or a part of it. */
export function explainConfig(of: ExplainedApp, key: string, text: string): Explanation {
  const {
    site,
    instance: { name: app, spec, bindings },
  } = of;
  const files = Object.keys(spec.config ?? {});
  const file = files.find((each) => text === each || text.startsWith(`${each}.`)) ?? '';
  if (file === '') known(key, 'configuration file', text, files);
  const option = text.slice(file.length + 1);
  const own = spec.config![file]!.layers.flatMap(({ when }, index) => {
    const met = isMet(when, (requirement) => bindings.has(requirement));
    return placed(spec, ['config', file, 'layers', index, 'content'], option).map((layer): Layer =>
      met ? layer : { ...layer, unused: `${when} is not met` },
    );
  });
  const ofGroups = groupsOf(of).flatMap((group) =>
    placed(site, ['apps', app, 'nodes', group, 'config', file], option).map((layer): Layer =>
      of.group === undefined ? { ...layer, group } : layer,
    ),
  );
  return {
    key,
    layers: [...own, ...placed(site, ['apps', app, 'config', file], option), ...ofGroups],
  };
}
