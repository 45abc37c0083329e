import type { ExplainedApp } from './explained-app.ts';
import type { Explanation, Layer } from './explanation.ts';
import { placed } from './placed.ts';

/** Who meets a requirement: the provision that was found for it, and the site's choice. */
export function explainRequirement(
  { site, instance, instances }: ExplainedApp,
  key: string,
  name: string,
): Explanation {
  const binding = instance.bindings.get(name);
  const found: Layer[] =
    binding === undefined || !('provider' in binding)
      ? []
      : [
          {
            at: instances.get(binding.provider)!.spec.position(['provides', binding.provision]),
            value: binding.provider,
          },
        ];
  return { key, layers: [...found, ...placed(site, ['apps', instance.name, 'requires', name])] };
}
