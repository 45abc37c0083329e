/** The address to which engines on this machine push and from which they pull. */
export const LOOPBACK = '127.0.0.1';
