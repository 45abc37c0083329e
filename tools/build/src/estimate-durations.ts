import type { ImageName } from '#core';

/** Facts about the build times of images, in seconds. */
export interface KnownDurations {
  /** Measured by earlier runs here. */
  measured(image: ImageName): number | undefined;
  /** From the committed table, which another machine may have measured. */
  committed?(image: ImageName): number | undefined;
  /** Bytes of the lock file, which grow with the number of inputs. */
  lockBytes?(image: ImageName): number | undefined;
}

export interface EstimatedDuration {
  readonly seconds: number;
  readonly from: 'measured' | 'committed' | 'estimated';
}

/** Seconds for an image of average size if no image was ever measured. */
const FIRST_GUESS = 60;
/**
 * Seconds for each kilobyte of a lock if no image was ever measured: the median of this project's
 * images.
 */
const FIRST_RATE = 1.6;
/** Kilobytes that count for an image without inputs, since each image is exported and tested. */
const LEAST_KILOBYTES = 5;

/**
 * The seconds of each image: measured; else committed, scaled to the speed of this machine; else
 * estimated from the size of its lock by the median rate of the known images, or the median of the
 * known images.
 */
export function estimateDurations(
  images: readonly ImageName[],
  known: KnownDurations,
): ReadonlyMap<ImageName, EstimatedDuration> {
  const scale = machineScale(images, known);
  const found = new Map(
    images.flatMap((image): [ImageName, EstimatedDuration][] => {
      const measured = known.measured(image);
      if (measured !== undefined) return [[image, { seconds: measured, from: 'measured' }]];
      const committed = known.committed?.(image);
      return committed === undefined
        ? []
        : [[image, { seconds: committed * scale, from: 'committed' }]];
    }),
  );
  const weightOf = (image: ImageName): number | undefined => {
    const bytes = known.lockBytes?.(image);
    return bytes === undefined ? undefined : LEAST_KILOBYTES + bytes / 1000;
  };
  const rates = [...found].flatMap(([image, { seconds }]) => {
    const weight = weightOf(image);
    return weight === undefined ? [] : [seconds / weight];
  });
  const rate = median(rates) ?? FIRST_RATE;
  const typical = median([...found.values()].map(({ seconds }) => seconds)) ?? FIRST_GUESS;
  return new Map(
    images.map((image) => {
      const weight = weightOf(image);
      const seconds = weight === undefined ? typical : rate * weight;
      return [image, found.get(image) ?? { seconds, from: 'estimated' }];
    }),
  );
}

/**
 * The seconds that a committed table should have: of all images with measured or committed ones, as
 * whole seconds of this machine.
 */
export function durationTable(
  images: readonly ImageName[],
  { lockBytes: _, ...known }: KnownDurations,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...estimateDurations(images, known)]
      .filter(([, { from }]) => from !== 'estimated')
      .map(([image, { seconds }]) => [image, Math.max(1, Math.round(seconds))]),
  );
}

/** The median of measured by committed seconds: how much slower this machine is. */
function machineScale(
  images: readonly ImageName[],
  { measured, committed = () => undefined }: KnownDurations,
): number {
  const ratios = images.flatMap((image) => {
    const [here, there] = [measured(image), committed(image)];
    return here === undefined || there === undefined || there <= 0 ? [] : [here / there];
  });
  return median(ratios) ?? 1;
}

function median(values: readonly number[]): number | undefined {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
