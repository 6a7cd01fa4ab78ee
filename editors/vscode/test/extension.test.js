// The life of the server, and what the manifest promises.
const assert = require("node:assert");
const { existsSync, readFileSync } = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { test } = require("node:test");

const { load, program, withPath } = require("./standin.js");
const manifest = require("../package.json");

// running is an editor with a program on its PATH, and the server started.
const running = (test) => async () => {
  const editor = load();
  const at = program(path.join(editor.folder, "bin", "rlvet"));
  await withPath(editor, [path.dirname(at)], async () => {
    await editor.module.activate(editor.activation);
    await test(editor);
  });
};
const told = (editor) => editor.story.map((line) => line.replaceAll(editor.folder, "~"));

test("the server is started, restarted with its setting, and stopped at the end", running(async (editor) => {
  assert.deepEqual(editor.client.options.documentSelector, [
    { language: "python" },
    { language: "yaml" },
    { language: "toml" },
    { language: "shellscript" },
    { language: "json" },
    { notebook: "jupyter-notebook", language: "python" },
  ]);
  assert.equal(editor.context["rlvet.ready"], true);
  assert.deepEqual(editor.client.capabilities, { experimental: { rlvetEvidence: true } });
  await editor.change("rlvet.path", program(path.join(editor.folder, "opt", "rlvet")));
  await editor.change("rlvet.preview", true); // which the server asks for itself
  await editor.module.deactivate();
  await editor.module.deactivate();
  assert.deepEqual(told(editor), ["start ~/bin/rlvet server", "stop ~/bin/rlvet", "start ~/opt/rlvet server", "stop ~/opt/rlvet"]);
}));

test("a server that does not start is said, and another one can be set", running(async (editor) => {
  editor.story.length = 0;
  editor.fails = "spawn rlvet EACCES\n    at somewhere";
  await editor.commands["rlvet.restart"]();
  assert.equal(editor.context["rlvet.ready"], false);
  editor.fails = undefined;
  await editor.commands["rlvet.restart"]();
  assert.deepEqual(told(editor), [
    "stop ~/bin/rlvet",
    "start ~/bin/rlvet server",
    "error: rlvet: `~/bin/rlvet server` cannot be started: spawn rlvet EACCES [Show log] [Open setting]",
    "start ~/bin/rlvet server",
  ]);
}));

test("who restarts twice at once has one server", running(async (editor) => {
  await Promise.all([editor.commands["rlvet.restart"](), editor.commands["rlvet.restart"]()]);
  assert.equal(editor.client.state, "running");
  assert.deepEqual(told(editor), ["start ~/bin/rlvet server", "stop ~/bin/rlvet", "start ~/bin/rlvet server", "stop ~/bin/rlvet", "start ~/bin/rlvet server"]);
}));

test("the status bar says what the server does, and what the file has", running(async (editor) => {
  editor.looked();
  assert.equal(editor.item.visible, false); // no file is open
  editor.active = { document: { languageId: "python", uri: { toString: () => "file:///train.py" } } };
  editor.looked();
  assert.equal(editor.item.text, "$(check) rlvet 0.1.0");
  editor.diagnostics = [{ source: "rlvet" }, { source: "ruff" }];
  editor.diagnosed({ uris: ["file:///train.py"] });
  assert.equal(editor.item.text, "$(warning) rlvet 0.1.0: 1");
  assert.match(editor.item.tooltip.value, /1 finding in this file\n\n`.*rlvet`, from the PATH/);
  editor.client.changed({ newState: 1 });
  assert.equal(editor.item.text, "$(error) rlvet");
  editor.active = { document: { languageId: "cpp" } };
  editor.looked();
  assert.equal(editor.item.visible, false);
}));

test("the status bar counts what all cells of a notebook have", running(async (editor) => {
  const cells = ["W0", "W1", "W2"].map((name) => ({ document: { languageId: name === "W2" ? "markdown" : "python", uri: { toString: () => name } } }));
  editor.notebook = { notebook: { getCells: () => cells } };
  editor.active = undefined; // no cell is edited
  editor.diagnostics = { W0: [{ source: "rlvet" }], W1: [{ source: "rlvet" }, { source: "rlvet" }] };
  editor.lookedAtNotebook();
  assert.equal(editor.item.text, "$(warning) rlvet 0.1.0: 3");
  assert.match(editor.item.tooltip.value, /3 findings in this notebook/);
  editor.active = cells[1];
  editor.diagnostics = { W1: [{ source: "rlvet" }] };
  editor.diagnosed({ uris: ["W0"] }); // another cell than the one that is edited
  assert.equal(editor.item.text, "$(warning) rlvet 0.1.0: 1");
}));

test("the server gets what the user set, and the interpreter", running(async (editor) => {
  const ask = (section) => editor.client.options.middleware.workspace.configuration({ items: [{ section: "rlvet" }] }, undefined, async () => [section]);
  editor.settings["rlvet.preview"] = true;
  assert.deepEqual(await ask({ preview: true, select: ["ALL"] }), [{ preview: true, python: null }]);
  editor.python = "/opt/env/bin/python";
  await editor.commands["rlvet.restart"]();
  assert.deepEqual(await ask({ preview: true }), [{ preview: true, python: "/opt/env/bin/python" }]);
  editor.settings["rlvet.python"] = "${workspaceFolder}/venv/bin/python";
  assert.deepEqual(await ask({ python: "${workspaceFolder}/venv/bin/python" }), [{ python: path.join(editor.workspace, "venv/bin/python") }]);
}));

test("where the workspace is not trusted nothing offers to run it", running(async (editor) => {
  const { provideCodeLenses, provideCodeActions } = editor.client.options.middleware;
  const confirm = { title: "confirm", command: { command: "rlvet.confirm" } };
  const fix = { title: "fix", edit: {} };
  const offered = async () => [await provideCodeLenses(0, 0, async () => [1]), await provideCodeActions(0, 0, 0, 0, async () => [confirm, fix])];
  assert.deepEqual(await offered(), [[1], [confirm, fix]]);
  editor.trusted = false;
  assert.deepEqual(await offered(), [[], [fix]]);
}));

test("the manifest offers the commands that there are, in menus and walkthroughs too", running(async (editor) => {
  const names = manifest.contributes.commands.map((c) => c.command);
  assert.deepEqual(names, Object.keys(editor.commands));
  for (const command of manifest.contributes.commands) {
    assert.equal(command.category, "rlvet");
    assert.match(command.title, /^[A-Z][^A-Z]*( NaN)?[^A-Z]*$/); // a sentence
  }
  const text = JSON.stringify([manifest.contributes.menus, manifest.contributes.walkthroughs]);
  for (const [, name] of text.matchAll(/(?:command:|onCommand:|"command":")(rlvet\.\w+)/g)) {
    assert.ok(names.includes(name), name);
  }
  for (const [, file] of text.matchAll(/"(media\/[^"]+)"/g)) {
    assert.ok(existsSync(path.join(__dirname, "..", file)), file);
  }
}));

// A step that a context completes is not completed where the context is there first, so the
// walkthrough has one step for each.
test("the walkthrough's first step says whether the program runs", () => {
  const steps = manifest.contributes.walkthroughs[0].steps.filter((step) => step.when !== undefined);
  assert.deepEqual(steps.map((step) => [step.when, step.completionEvents]), [["rlvet.ready", ["onStepSelected"]], ["!rlvet.ready", ["onContext:rlvet.ready"]]]);
});

// Code stands beside the text in a pane that is narrow, and is cut where it is wider.
test("the walkthrough's code is narrow", () => {
  for (const step of manifest.contributes.walkthroughs[0].steps.filter((one) => one.media.markdown)) {
    const text = readFileSync(path.join(__dirname, "..", step.media.markdown), "utf8");
    for (const [, code] of text.matchAll(/```\w+\n([^`]*)```/g)) {
      for (const line of code.split("\n")) {
        assert.ok(line.length <= 48, `${step.media.markdown}: ${line}`);
      }
    }
  }
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
