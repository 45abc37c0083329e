import { CcpError, counted, findingsIn, type ImageName } from '#core';

/** What stands against single inputs: the others were fetched all the same. */
const OF_INPUTS: ReadonlySet<string> = new Set(['checksum-mismatch', 'file-gone', 'mirror-refused', 'offline-missing', 'source-commit-missing']);

/** Names that a fault lists. */
const NAMED = 3;

export interface InputFetch {
  /** Fetches the inputs of all images. */
  readonly fetch: () => Promise<unknown>;
  /** Names of an image's inputs that are not there afterwards. */
  readonly lacking: (image: ImageName) => Promise<readonly string[]>;
}

/** What was raised, and the fault of each image that lacks an input for it. */
export interface FetchFaults {
  readonly raised?: CcpError;
  readonly faults: ReadonlyMap<ImageName, CcpError>;
}

/** Whether single inputs are at fault, and all others were fetched. */
export function isOfInputs(thrown: unknown): thrown is CcpError {
  return thrown instanceof CcpError && findingsIn(thrown).every(({ code }) => OF_INPUTS.has(code));
}

/**
 * Fetches the inputs of `images`. Where some cannot be had, and others can be built without them, it gives the images that lack them;
 * what stands against all of them, or against more than single inputs, is raised.
 */
export async function fetchOrFaults(
  images: readonly ImageName[],
  ancestors: (image: ImageName) => readonly ImageName[],
  { fetch, lacking }: InputFetch,
): Promise<FetchFaults> {
  try {
    await fetch();
    return { faults: new Map() };
  } catch (thrown) {
    if (!isOfInputs(thrown)) throw thrown;
    const faults = new Map<ImageName, CcpError>();
    for (const image of images) {
      const names = await lacking(image);
      if (names.length > 0) faults.set(image, faultOf(names, thrown));
    }
    if (faults.size === 0 || images.every((image) => [image, ...ancestors(image)].some((each) => faults.has(each)))) throw thrown;
    return { faults, raised: thrown };
  }
}

/** What was said of one of the inputs; where all that lack are told together, the image's own. */
function faultOf(names: readonly string[], raised: CcpError): CcpError {
  const finding = findingsIn(raised).find(({ message }) => names.some((name) => message.includes(name))) ?? raised;
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  const message = finding.code === 'offline-missing' ? 'not in the cache' : finding.message;
  return new CcpError({
    code: finding.code,
    message: `${counted(names.length, 'locked input')} cannot be had (${names.slice(0, NAMED).join(', ')}${more}): ${message}`,
    ...(finding.hint === undefined ? {} : { hint: finding.hint }),
    cause: raised,
  });
}
