import { counted, type Digest, type ImageName } from '#core';
import type { ImageDifference } from '#store';
import { differenceLines } from './image-difference.ts';

/** An image that is not equal in two sets. */
export interface RebuiltDifference {
  readonly image: ImageName;
  /** Keys of its entry with other values; `digest` if the images differ. */
  readonly fields: readonly string[];
  /** Digests in the release and in the rebuilt set; null if the image is in one set only. */
  readonly digests: readonly [Digest | null, Digest | null];
}

/** The differences between a release and its rebuilt set, as lines. */
export function rebuiltLines(
  differences: readonly RebuiltDifference[],
  compared: ReadonlyMap<ImageName, ImageDifference>,
  { counts, folders }: { readonly counts: string; readonly folders: readonly string[] },
): readonly string[] {
  return [
    ...differences.flatMap(({ image, fields, digests: [first, second] }) => {
      if (first === null || second === null)
        return [`${image} is only in the ${first === null ? 'rebuilt set' : 'release'}`];
      const difference = compared.get(image);
      return [
        `${image} differs: ${fields.join(', ')}`,
        ...(difference === undefined
          ? []
          : [
              ...differenceLines(difference).map((line) => `  ${line}`),
              `  ccp diff-image oci:${folders[0]}@${first} oci:${folders[1]}@${second}`,
            ]),
      ];
    }),
    differences.length === 0
      ? `${counts}: all images are equal, but other parts of the set differ`
      : `${counts}: ${counted(differences.length, 'image')} of the rebuilt set ${differences.length === 1 ? 'differs' : 'differ'}`,
  ];
}
