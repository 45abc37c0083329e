'use strict';
// What nx.json names: a Node that cannot run TypeScript gets as far as here, and Nx shows these words.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 14)) {
  throw new Error(`Node ${process.versions.node} cannot load this plugin: run ./ccp nx, which brings Node 24, or put Node 24.14 or later on the PATH`);
}
module.exports = require('./src/plugin.ts');
