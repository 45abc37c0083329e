export { formatPax } from './pax.ts';
export { readTar } from './read-tar.ts';
export { scanTar } from './scan-tar.ts';
export {
  BLOCK,
  layerInvalid,
  padded,
  quoteName,
  type TarMember,
  type TarSource,
} from './tar-member.ts';
export { formatHeader } from './write-header.ts';
export { type TarEntry, type TarHeader, writeTar } from './write-tar.ts';
