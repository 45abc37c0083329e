'use strict';
// Nx loads this file first. It reports a Node version that cannot load TypeScript sources.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 14)) {
  throw new Error(
    `Node ${process.versions.node} cannot load this plugin: run ./ccp nx, which installs Node 24, or put Node 24.14 or later on the PATH`,
  );
}
module.exports = require('./src/plugin.ts');
