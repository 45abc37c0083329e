/** The address that engines of this machine push to and pull from. */
export const LOOPBACK = '127.0.0.1';
