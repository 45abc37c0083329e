/** A layer's compression, by its first bytes (RFC 1952, RFC 8878); undefined for a plain tar. */
export function compressionOf(bytes: Buffer): 'gzip' | 'zstd' | undefined {
  if (bytes.length < 4) return undefined;
  if (bytes.readUInt16BE() === 0x1f8b) return 'gzip';
  return bytes.readUInt32BE() === 0x28b52ffd ? 'zstd' : undefined;
}
