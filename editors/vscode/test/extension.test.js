const assert = require("node:assert");
const { existsSync } = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { test } = require("node:test");

const { load } = require("./standin.js");
const manifest = require("../package.json");

test("the server of the setting is started, and stopped at the end", async () => {
  const editor = load();
  const context = { subscriptions: [] };
  await editor.activate(context);
  assert.equal(context.subscriptions.length, 2);
  assert.deepEqual(editor.client.options.documentSelector, [
    { language: "python" },
    { language: "yaml" },
    { language: "toml" },
    { language: "shellscript" },
    { language: "json" },
    { notebook: "jupyter-notebook", language: "python" },
  ]);
  await editor.change("rlvet.path", "/opt/rlvet");
  await editor.change("rlvet.preview", true); // which the server asks for itself
  await editor.deactivate();
  await editor.deactivate();
  assert.deepEqual(editor.story, ["start rlvet server", "stop rlvet", "start /opt/rlvet server", "stop /opt/rlvet"]);
});

test("a program that is missing is said, and another one can be set", async () => {
  const editor = load();
  editor.fails = "spawn rlvet ENOENT";
  await editor.activate({ subscriptions: [] });
  editor.fails = undefined;
  await editor.change("rlvet.path", "/opt/rlvet");
  assert.deepEqual(editor.story, [
    "start rlvet server",
    "error: rlvet: `rlvet server` cannot be started: spawn rlvet ENOENT; install rlvet, or set rlvet.path",
    "start /opt/rlvet server",
  ]);
});

test("who restarts twice at once has one server", async () => {
  const editor = load();
  await editor.activate({ subscriptions: [] });
  await Promise.all([editor.commands["rlvet.restart"](), editor.commands["rlvet.restart"]()]);
  assert.equal(editor.client.state, "running");
  assert.deepEqual(editor.story, ["start rlvet server", "stop rlvet", "start rlvet server", "stop rlvet", "start rlvet server"]);
});

test("the manifest offers the commands that there are", async () => {
  const editor = load();
  await editor.activate({ subscriptions: [] });
  assert.deepEqual(manifest.contributes.commands.map((c) => c.command), Object.keys(editor.commands));
});

// The bundle that is packaged is whole: it loads with nothing but an editor's API around
// it, which a stand-in plays.
test("the bundle loads", () => {
  const anything = new Proxy(class {}, {
    get: (target, name) => (name in target || typeof name === "symbol" ? target[name] : anything),
    apply: () => anything,
  });
  const real = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? anything : real(name, ...rest));
  try {
    const bundle = path.join(__dirname, "..", manifest.main);
    assert.ok(existsSync(bundle));
    const extension = require(bundle);
    assert.equal(typeof extension.activate, "function");
    assert.equal(typeof extension.deactivate, "function");
  } finally {
    Module._load = real;
  }
});
