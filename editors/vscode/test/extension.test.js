// The bundle is whole: it loads with nothing but an editor's API around it, which a
// stand-in plays, and it offers what the manifest promises.
const assert = require("node:assert");
const Module = require("node:module");
const { test } = require("node:test");

const anything = new Proxy(class {}, {
  get: (target, name) => (name in target || typeof name === "symbol" ? target[name] : anything),
  apply: () => anything,
});
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? anything : load(name, ...rest));

test("the bundle loads", () => {
  const extension = require("../dist/extension.js");
  assert.equal(typeof extension.activate, "function");
  assert.equal(typeof extension.deactivate, "function");
});

test("the manifest names what is there", () => {
  const manifest = require("../package.json");
  assert.ok(require("node:fs").existsSync(require("node:path").join(__dirname, "..", manifest.main)));
});
