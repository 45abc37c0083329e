import type { SiteApp } from '#definitions';
import type { Instance } from '../../model/instance.ts';
import type { SiteInput } from '../../model/types.ts';

/** The input with changed settings of an app. */
export function withApp(
  input: SiteInput,
  { name }: Pick<Instance, 'name'>,
  change: (app: SiteApp) => Partial<SiteApp>,
): SiteInput {
  const app = input.site.apps[name]!;
  const apps = { ...input.site.apps, [name]: { ...app, ...change(app) } };
  return { ...input, site: { ...input.site, apps } };
}
