import { CcpError, CcpErrors, type ImageName } from '#core';

/** What stands against some inputs and says nothing of the others. */
const OF_INPUTS: ReadonlySet<string> = new Set([
  'checksum-mismatch',
  'file-gone',
  'mirror-refused',
  'mirror-unreachable',
  'mirror-unknown',
  'offline-missing',
  'source-commit-missing',
  'source-unreachable',
]);

/** How the inputs of images are fetched: those that are wanted together, or one image's from what is there alone. */
export interface InputFetch {
  readonly all: () => Promise<unknown>;
  /** Raises `offline-missing` where the cache lacks some. */
  readonly cached: (image: ImageName) => Promise<unknown>;
}

/**
 * Fetches the inputs of `images`, parents first, and gives those whose inputs cannot be had, with the reason that each is told by, and
 * what was raised, as long as others can be built without them. Raises it where none can, and what is no fault of single inputs.
 */
export async function inputsOrFaults(
  images: readonly ImageName[],
  ancestors: (image: ImageName) => readonly ImageName[],
  fetch: InputFetch,
): Promise<{ readonly faults: ReadonlyMap<ImageName, CcpError>; readonly raised?: CcpError }> {
  try {
    await fetch.all();
    return { faults: new Map() };
  } catch (thrown) {
    if (!(thrown instanceof CcpError) || !findingsOf(thrown).every(({ code }) => OF_INPUTS.has(code))) throw thrown;
    const faults = new Map<ImageName, CcpError>();
    for (const image of images) {
      const fault = await lackOf(image, fetch);
      if (fault !== undefined) faults.set(image, fault);
    }
    if (images.every((image) => [image, ...ancestors(image)].some((each) => faults.has(each)))) throw thrown;
    return { faults, raised: thrown };
  }
}

async function lackOf(image: ImageName, fetch: InputFetch): Promise<CcpError | undefined> {
  try {
    await fetch.cached(image);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof CcpError && thrown.code === 'offline-missing') return thrown;
    throw thrown;
  }
}

function findingsOf(error: CcpError): readonly CcpError[] {
  return error instanceof CcpErrors ? error.findings : [error];
}
