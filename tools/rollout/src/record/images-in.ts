import { objectsOf, podsOf, type RenderedSite } from '#site';

/** Image name -> digest, of every container of a rendered site. */
export function imagesIn(rendered: RenderedSite): Record<string, string> {
  const images = podsOf(objectsOf(rendered)).flatMap(({ pod }) =>
    pod.containers.map(({ image }) => image),
  );
  return Object.fromEntries(
    images
      .map((image) => [
        image.replace(/@.*$/, '').replace(/^.*\//, ''),
        image.replace(/^[^@]*@?/, ''),
      ])
      .sort(([a], [b]) => (a! < b! ? -1 : 1)),
  );
}
