import type { LiveObject } from '#ports';
import type { RenderedSite } from '../types.ts';

/** Pod Security Standards, strictest first. */
const LEVELS = ['restricted', 'baseline', 'privileged'];
const ENFORCE = 'pod-security.kubernetes.io/enforce';
const WARN = 'pod-security.kubernetes.io/warn';

/**
 * The rendered site whose namespace keeps the level it has where that is laxer and `shared`, the namespace as it is, holds another
 * site, which may need it.
 */
export function withLaxerLevel(rendered: RenderedSite, shared: LiveObject | undefined): RenderedSite {
  const level = shared?.metadata.labels?.[ENFORCE];
  if (level === undefined) return rendered;
  return {
    ...rendered,
    foundation: rendered.foundation.map((object) => {
      const own = object.metadata.labels?.[ENFORCE];
      if (object.kind !== 'Namespace' || own === undefined || LEVELS.indexOf(level) <= LEVELS.indexOf(own)) return object;
      return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, [ENFORCE]: level, [WARN]: level } } };
    }),
  };
}
