import { CcpError } from './errors.ts';

declare const brand: unique symbol;
type Brand<T, B extends string> = T & { readonly [brand]: B };

/**
 * Name of an image: the folder's name, lower-case, digits and single dashes, at most 63 characters.
 */
export type ImageName = Brand<string, 'ImageName'>;
/** Name of a series: `2026.1`, `2025.2`, `master`. */
export type Series = Brand<string, 'Series'>;
/** `os/arch` of the OCI image specification; only `linux/amd64` is built today. */
export type Platform = Brand<string, 'Platform'>;

const IMAGE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const SERIES = /^(?:\d{4}\.[12]|[a-z][a-z0-9-]*)$/;
const PLATFORM = /^linux\/[a-z0-9]+$/;

/** True if `text` is a valid image name. */
export function isImageName(text: string): text is ImageName {
  return text.length <= 63 && IMAGE_NAME.test(text);
}

/** Throws `name-invalid` if `text` is not an image name. */
export function imageName(text: string): ImageName {
  if (isImageName(text)) return text;
  throw new CcpError({
    code: 'name-invalid',
    message: `"${text}" is not an image name`,
    hint: 'use lower-case letters, digits and single dashes, at most 63 characters',
  });
}

/** Throws `name-invalid` if `text` is not the name of a series. */
export function series(text: string): Series {
  if (SERIES.test(text)) return text as Series;
  throw new CcpError({
    code: 'name-invalid',
    message: `"${text}" is not a valid series name`,
    hint: 'use a name such as 2026.1 or master',
  });
}

/** Throws `name-invalid` if `text` is not a platform such as `linux/amd64`. */
export function platform(text: string): Platform {
  if (PLATFORM.test(text)) return text as Platform;
  throw new CcpError({
    code: 'name-invalid',
    message: `"${text}" is not a platform`,
    hint: 'use the form OS/ARCHITECTURE, like linux/amd64',
  });
}
