export { collectErrors, findingsIn } from './collect-errors.ts';
export { canonicalJson, type Json } from './canonical-json.ts';
export { counted } from './counted.ts';
export { decodeText } from './decode-text.ts';
export {
  type Digest,
  digestFromHex,
  digestOf,
  type Fingerprint,
  hexOf,
  isDigest,
  parseDigest,
  parseSha256,
  sha256,
  type Sha256,
  tagPart,
} from './digest.ts';
export { SOURCE_DATE_EPOCH } from './epoch.ts';
export {
  CcpError,
  CcpErrors,
  codeOf,
  type ErrorParts,
  errorText,
  formatPosition,
  messageOf,
  placedMessage,
  type Position,
  shownPath,
  throwFindings,
  withInputs,
  withPlace,
  withWord,
} from './errors.ts';
export { escapeControls, escapeUnsafe } from './escape-controls.ts';
export {
  fileChanged,
  fileFault,
  describeNonFile,
  isDiskFault,
  isRightsFault,
  readFault,
  reading,
} from './file-fault.ts';
export { type FileFindings, fileFindings, type KeyPath } from './file-findings.ts';
export { isRecord } from './is-record.ts';
export { linearPattern, type LinearPattern } from './linear-pattern.ts';
export { mapLimited } from './map-limited.ts';
export { mapRecord } from './map-record.ts';
export {
  type ImageName,
  imageName,
  isImageName,
  platform,
  type Platform,
  series,
  type Series,
} from './names.ts';
export { suggestName, nearest } from './nearest.ts';
export { omitUndefined } from './omit-undefined.ts';
export { parseDocument } from './parse-document.ts';
export { parseJson } from './parse-json.ts';
export { redact, registerSecret } from './redact.ts';
export { backOffMs, retry, type RetryPolicy } from './retry.ts';
export { shortLines, shortList } from './short-list.ts';
