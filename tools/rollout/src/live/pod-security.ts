import type { LiveObject } from '#ports';
import type { RenderedSite } from '#site';

/** Pod Security Standards, strictest first. */
const LEVELS = ['restricted', 'baseline', 'privileged'];
/** The label by which a namespace enforces a level. */
export const ENFORCE = 'pod-security.kubernetes.io/enforce';
const WARN = 'pod-security.kubernetes.io/warn';

/**
 * The rendered site whose namespace keeps its laxer level if `shared`, the live namespace, has
 * another site, which may need it.
 */
export function withLaxerLevel(
  rendered: RenderedSite,
  shared: LiveObject | undefined,
): RenderedSite {
  const level = shared?.metadata.labels?.[ENFORCE];
  if (level === undefined) return rendered;
  return {
    ...rendered,
    foundation: rendered.foundation.map((object) => {
      const own = object.metadata.labels?.[ENFORCE];
      if (object.metadata.name !== shared?.metadata.name || object.kind !== 'Namespace')
        return object;
      if (own === undefined || !isLaxer(level, own)) return object;
      return {
        ...object,
        metadata: {
          ...object.metadata,
          labels: { ...object.metadata.labels, [ENFORCE]: level, [WARN]: level },
        },
      };
    }),
  };
}

/** Whether a level permits more than another. */
export function isLaxer(level: string, than: string): boolean {
  return LEVELS.indexOf(level) > LEVELS.indexOf(than);
}
