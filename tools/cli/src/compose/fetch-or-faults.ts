import { CcpError, counted, findingsIn, type ImageName, omitUndefined, shortList } from '#core';

/** Error codes of single inputs; the other inputs were still fetched. */
const OF_INPUTS: ReadonlySet<string> = new Set([
  'checksum-mismatch',
  'file-gone',
  'mirror-refused',
  'offline-missing',
  'source-commit-missing',
]);

/** Maximum number of names in an error. */
const NAMED = 3;

export interface InputFetch {
  /** Fetches the inputs of all images. */
  readonly fetch: () => Promise<unknown>;
  /** Names of an image's inputs that are missing afterwards. */
  readonly lacking: (image: ImageName) => Promise<readonly string[]>;
}

/** The thrown error, and an error for each image with a missing input. */
export interface FetchFaults {
  readonly raised?: CcpError;
  readonly faults: ReadonlyMap<ImageName, CcpError>;
}

/** Whether only single inputs failed and all others were fetched. */
export function isInputError(thrown: unknown): thrown is CcpError {
  return thrown instanceof CcpError && findingsIn(thrown).every(({ code }) => OF_INPUTS.has(code));
}

/**
 * Fetches the inputs of `images`. If some inputs cannot be fetched but other images can be built
 * without them, returns the errors of the affected images; otherwise throws.
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
    if (!isInputError(thrown)) throw thrown;
    const faults = new Map<ImageName, CcpError>();
    for (const image of images) {
      const names = await lacking(image);
      if (names.length > 0) faults.set(image, faultOf(names, thrown));
    }
    if (
      faults.size === 0 ||
      images.every((image) => [image, ...ancestors(image)].some((each) => faults.has(each)))
    )
      throw thrown;
    return { faults, raised: thrown };
  }
}

/** The error of an image: the finding about one of its inputs, else the common error. */
function faultOf(names: readonly string[], raised: CcpError): CcpError {
  const finding =
    findingsIn(raised).find(({ inputs }) => inputs?.some((name) => names.includes(name))) ?? raised;
  const message = finding.code === 'offline-missing' ? 'not in the cache' : finding.message;
  return new CcpError({
    code: finding.code,
    message: `${counted(names.length, 'locked input')} could not be fetched (${shortList(names, NAMED)}): ${message}`,
    ...omitUndefined({ hint: finding.hint }),
    cause: raised,
  });
}
