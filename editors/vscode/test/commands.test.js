// What the commands do.
const assert = require("node:assert");
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { homedir } = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

const { load, program, uriOf, withPath } = require("./standin.js");
const manifest = require("../package.json");

// with is an editor with a script open, and a program that does what a body of a shell says.
const withProgram = (body, test) => async () => {
  const editor = load();
  const at = program(path.join(editor.folder, "bin", "rlvet"), "0.1.0", body);
  await withPath(editor, [path.dirname(at)], async () => {
    await editor.module.activate(editor.activation);
    const file = path.join(editor.workspace, "train.py");
    writeFileSync(file, "x = 1\n");
    editor.behind = { languageId: "python", fileName: file, uri: uriOf(file), isDirty: true, lineCount: 1, save: async () => editor.story.push("save") };
    editor.active = { document: editor.behind };
    editor.story.length = 0;
    await test(editor);
  });
};
const told = (editor) => editor.story.map((line) => line.replaceAll(editor.folder, "~"));

// A hunt that writes what it was asked for, and its page.
const runs = `echo "$0 $*" > "$(dirname "$0")/asked"
echo 'found' > "$4/postmortem.html"; echo "the first bad operation is log"; exit 1`;
const asked = (editor) => readFileSync(path.join(editor.folder, "bin", "asked"), "utf8").trim().replaceAll(editor.folder, "~").replace(/\/\S*\/rlvet-\w+/, "TMP");

test("confirm has the server run the saved script with arguments, which are remembered, and shows its page", withProgram("", async (editor) => {
  editor.answers.input = "--lr 3e-4 --name 'two words'";
  editor.answers["workspace/executeCommand"] = (client) => {
    client.heard["rlvet/evidence"]({ uri: editor.active.document.uri.toString(), html: "<style>@media (prefers-color-scheme: dark) {}</style>seen\n" });
    return { report: "train.py:5:1 ADV009 confirmed: so it was\ntrain.py: 2 findings (1 confirmed, 1 refuted); 5 seeds\n" };
  };
  await editor.commands["rlvet.confirmFile"]();
  assert.deepEqual(told(editor), [
    "save",
    "request workspace/executeCommand file://~/workspace/train.py  --lr 3e-4 --name two words",
    "info: rlvet confirm: train.py: 2 findings (1 confirmed, 1 refuted) [Show log]",
  ]);
  assert.equal(editor.panel.title, "Evidence: train.py");
  assert.equal(editor.panel.webview.html, "<style>@media not all {}</style>seen\n"); // the editor is light
  editor.answers.input = undefined; // escape
  editor.panel = undefined;
  await editor.commands["rlvet.confirmFile"]();
  assert.equal(editor.box.value, "--lr 3e-4 --name 'two words'");
  assert.equal(editor.panel, undefined);
  const next = async (command, args) => args;
  const args = await editor.client.options.middleware.executeCommand("rlvet.confirm", [editor.active.document.uri.toString(), "f1"], next);
  assert.deepEqual(args.slice(1), ["f1", "--lr", "3e-4", "--name", "two words"]);
}));

test("a new text is saved before it runs", withProgram(runs, async (editor) => {
  editor.active = { document: { languageId: "python", isUntitled: true, isDirty: true, uri: uriOf("Untitled-1", "untitled"), fileName: "Untitled-1", getText: () => "x = 1" } };
  editor.answers.input = "";
  await editor.commands["rlvet.confirmFile"](); // the user goes back
  assert.deepEqual(told(editor), ["save untitled://Untitled-1", "error: rlvet: only a saved script runs; save it to confirm it"]);
  editor.answers.file = path.join(editor.workspace, "ppo.py");
  await editor.commands["rlvet.huntFile"]();
  assert.equal(asked(editor), "~/bin/rlvet hunt ppo.py --report TMP --");
  for (const { command, when } of [...manifest.contributes.menus.commandPalette, ...manifest.contributes.menus["rlvet.editor"]]) {
    if (/^rlvet.(confirm|hunt)File$/.test(command)) {
      assert.match(when, /untitled/, command);
    }
  }
}));

test("the example has a name in the folder that is open, which no file has", withProgram(runs, async (editor) => {
  const opened = async () => {
    await editor.commands["rlvet.openExample"]();
    return editor.active.document;
  };
  const document = await opened();
  assert.equal(document.uri.toString().replace(editor.folder, "~"), "untitled://~/workspace/ppo_example.py");
  assert.match(document.text, /def ppo_update/);
  writeFileSync(path.join(editor.workspace, "ppo_example.py"), "");
  assert.match((await opened()).uri.toString(), /ppo_example_2.py$/);
  editor.folderless = true;
  const { content } = await opened();
  assert.match(content, /def ppo_update/);

  // Where no folder is open, it is asked where to, with that name.
  editor.active = { document: { languageId: "python", isUntitled: true, isDirty: true, uri: uriOf("Untitled-1", "untitled"), fileName: "Untitled-1", getText: () => content } };
  editor.answers.input = "";
  editor.story.length = 0;
  await editor.commands["rlvet.huntFile"](); // the user goes back
  assert.deepEqual(told(editor), [`save as file://${path.join(homedir(), "ppo_example.py")}`, "error: rlvet: only a saved script runs; save it to hunt it"]);
  editor.answers.file = path.join(editor.workspace, "mine.py");
  editor.story.length = 0;
  await editor.commands["rlvet.huntFile"]();
  assert.equal(readFileSync(editor.answers.file, "utf8"), content);
  assert.equal(told(editor)[1], "command workbench.action.revertAndCloseActiveEditor");
  assert.match(asked(editor), /hunt mine.py/);
}));

test("hunt shows the post-mortem", withProgram(runs, async (editor) => {
  editor.python = path.join(editor.folder, "env", "bin", "python");
  await editor.commands["rlvet.restart"]();
  editor.story.length = 0;
  editor.answers.input = "--lr 1";
  await editor.commands["rlvet.huntFile"]();
  assert.equal(asked(editor), "~/bin/rlvet hunt train.py --report TMP --python ~/env/bin/python -- --lr 1");
  assert.equal(editor.panel.webview.html, "found\n");
  assert.deepEqual(told(editor), ["save", "info: rlvet hunt: the first bad operation is log [Show log]"]);
}));

test("a run that fails is said in its own words, and another Python can be chosen", withProgram("echo 'error: /usr/bin/python3 has no torch; activate the environment in which you train, or give --python PATH' >&2; exit 2", async (editor) => {
  editor.answers.input = "";
  editor.answers.button = "Show log";
  await editor.commands["rlvet.huntFile"]();
  assert.deepEqual(told(editor), ["save", "error: rlvet hunt: /usr/bin/python3 has no torch; activate the environment in which you train [Choose the Python] [Show log]", "log"]);
  assert.equal(editor.panel, undefined);
  editor.story.length = 0;
  editor.answers.button = "Choose the Python";
  editor.answers["workspace/executeCommand"] = () => {
    throw new Error("/usr/bin/python3 is Python 3.6, and rlvet runs programs with 3.8 or newer; give another with --python");
  };
  await editor.commands["rlvet.confirmFile"]();
  assert.deepEqual(told(editor).slice(2), [
    "error: rlvet confirm: /usr/bin/python3 is Python 3.6, and rlvet runs programs with 3.8 or newer [Choose the Python] [Show log]",
    'command workbench.action.openSettings {"query":"@id:rlvet.python"}',
  ]);
  editor.answers["workspace/executeCommand"] = () => {
    throw new Error("/usr/bin/python3 has no torch; choose the Python in which you train by the command Python: Select Interpreter, or the setting rlvet.python");
  };
  editor.answers.button = undefined;
  await editor.commands["rlvet.confirmFile"]();
  assert.equal(told(editor).at(-1), "error: rlvet confirm: /usr/bin/python3 has no torch [Choose the Python] [Show log]");
  editor.answers["workspace/executeCommand"] = {
    report: "train.py: 1 finding (0 confirmed, 0 refuted)",
    trouble: "train.py: no run reached a finding: it raised NameError; make it run first (its arguments go after --, its Python is --python PATH, and --show-output shows what it printed)",
  };
  editor.answers.button = undefined;
  await editor.commands["rlvet.confirmFile"]();
  assert.equal(told(editor).at(-1), "error: rlvet confirm: train.py: no run reached a finding: it raised NameError; make it run first [Choose the Python] [Show log]");
}));

test("a run can be cancelled", withProgram("exec sleep 60", async (editor) => {
  editor.answers.input = "";
  editor.answers["workspace/executeCommand"] = (_, token) => new Promise((_, reject) => token.onCancellationRequested(() => reject(new Error("cancelled"))));
  for (const command of ["huntFile", "confirmFile"]) {
    editor.story.length = 0;
    editor.cancel = undefined;
    const running = editor.commands[`rlvet.${command}`]();
    while (!editor.cancel) {
      await new Promise((wait) => setTimeout(wait, 5));
    }
    editor.cancel();
    await running;
    assert.deepEqual(told(editor).filter((line) => !line.startsWith("request")), ["save"]);
  }
}));

test("nothing runs without trust, or without a script", withProgram(runs, async (editor) => {
  editor.trusted = false;
  await editor.commands["rlvet.confirmFile"]();
  editor.trusted = true;
  editor.active = undefined;
  await editor.commands["rlvet.huntFile"]();
  assert.deepEqual(told(editor), ["error: rlvet: the script runs only in a workspace that you trust", "error: rlvet: open the Python script to hunt first"]);
  assert.ok(!existsSync(path.join(editor.folder, "bin", "asked")));
}));

test("the evidence that the server sends is shown, and can be opened again", withProgram("", async (editor) => {
  await editor.commands["rlvet.openEvidence"]();
  assert.deepEqual(told(editor), ["info: rlvet: this file has no evidence yet; confirm or hunt it first"]);
  editor.client.heard["rlvet/evidence"]({ uri: editor.active.document.uri.toString(), html: "by the server" });
  assert.equal(editor.panel.webview.html, "by the server");
  editor.story.length = 0;
  await editor.commands["rlvet.openEvidence"]();
  assert.deepEqual(editor.story, []);
}));

test("rules are explained: the one that is named, that of the cursor, or one that is picked", withProgram(`case "$1" in
rules) echo '[{"code": "KL001", "name": "kl-sign", "status": "preview", "summary": "The KL is subtracted twice."}]';;
rule) echo "# $2";;
esac`, async (editor) => {
  await editor.commands["rlvet.explainRule"]("ADV009");
  editor.active.selection = { active: { line: 3 } };
  editor.diagnostics = [{ source: "rlvet", code: { value: "OBJ001" }, range: { contains: () => false, start: { line: 3 } } }];
  await editor.commands["rlvet.explainRule"]();
  editor.diagnostics = [];
  editor.answers.pick = "KL001";
  await editor.commands["rlvet.explainRule"]();
  assert.deepEqual(told(editor), ["ADV009", "OBJ001", "KL001"].map((code) => `command markdown.showPreviewToSide rlvet-rule:///${code}.md`));
  assert.deepEqual(editor.items, [{ label: "KL001", description: "kl-sign (preview)", detail: "The KL is subtracted twice." }]);
  assert.equal(await editor.provider.provideTextDocumentContent(uriOf("/ADV009.md")), "# ADV009\n");
  await editor.client.options.middleware.executeCommand("rlvet.explain", ["GRAD001"]);
  assert.match(editor.story.at(-1), /GRAD001/);
}));

test("the workspace is checked, and what was found is counted", withProgram("", async (editor) => {
  editor.answers["workspace/diagnostic"] = { items: [{ uri: "a", items: [1, 2] }, { uri: "b", items: [] }, { uri: "c", items: [3] }] };
  await editor.commands["rlvet.checkWorkspace"]();
  assert.deepEqual(told(editor), ["request workspace/diagnostic", "command workbench.actions.view.problems", "info: rlvet: 3 findings in 2 files; 3 files checked"]);
  editor.answers["workspace/diagnostic"] = { items: [
    { uri: "file:///w/train.py", items: [] },
    { uri: "file:///w/closed.ipynb", items: [{ data: { findings: 4 } }] },
    { uri: "file:///w/open.ipynb", items: [] },
    { uri: "vscode-notebook-cell:/w/open.ipynb#W0s", items: [{ data: {} }] },
    { uri: "vscode-notebook-cell://ssh-remote%2Bbox/w/open.ipynb#W1s", items: [{}] },
  ] };
  await editor.commands["rlvet.checkWorkspace"]();
  assert.equal(editor.story.at(-1), "info: rlvet: 6 findings in 2 files; 3 files checked");
}));

test("all safe fixes are applied, to the file behind the walkthrough too", withProgram("", async (editor) => {
  editor.answers.actions = [{ title: "Apply all safe fixes of this file", edit: { changes: 1 } }];
  await editor.commands["rlvet.fixAll"]();
  editor.looked(editor.active);
  editor.active = undefined; // the walkthrough, in the next tab
  editor.looked(undefined);
  await editor.commands["rlvet.fixAll"]();
  editor.active = { document: { languageId: "log", uri: uriOf("rlvet", "output") } };
  editor.looked(editor.active);
  await editor.commands["rlvet.fixAll"]();
  assert.deepEqual(told(editor), Array(3).fill('edit {"changes":1}'));
  editor.active = undefined;
  editor.answers.input = undefined; // escape
  await editor.commands["rlvet.confirmFile"]();
  assert.equal(editor.box.title, "Confirm this file by running it");
  editor.story.length = 0;
  editor.behind.isClosed = true;
  await editor.commands["rlvet.fixAll"]();
  await editor.commands["rlvet.openEvidence"]();
  assert.deepEqual(told(editor), ["error: rlvet: open the Python file to fix first", "error: rlvet: open the Python script whose evidence to show first"]);
}));

test("the menu leads to the commands", withProgram("", async (editor) => {
  editor.answers.pick = "Fix all";
  await editor.commands["rlvet.menu"]();
  assert.deepEqual(told(editor), ["info: rlvet: this file has nothing that a safe fix mends"]);
  const names = new Set(manifest.contributes.commands.map((c) => c.command));
  for (const item of editor.items) {
    assert.ok(names.has(item.command), item.command);
  }
  editor.fails = "no such program";
  await editor.commands["rlvet.restart"]();
  editor.answers.pick = "Open setting";
  await editor.commands["rlvet.menu"]();
  assert.equal(editor.story.at(-1), 'command workbench.action.openSettings {"query":"@id:rlvet.path"}');
  assert.deepEqual(editor.items.map((item) => item.label.replace(/.*\) /, "")), ["How to install", "Open setting", "Show log", "Restart server"]);
}));

test("there is a task for each folder, and for tasks.json", withProgram("", async (editor) => {
  const [task] = editor.tasks.provideTasks();
  assert.deepEqual([task.scope.name, task.execution.args], ["workspace", ["check", "."]]);
  const own = editor.tasks.resolveTask({ definition: { type: "rlvet", args: ["--preview", "src"] } });
  assert.deepEqual(own.execution.args, ["check", "--preview", "src"]);
}));

test("arguments are taken apart as by a shell", () => {
  const { split } = load("arguments.ts").module;
  assert.deepEqual(split(`--lr 3e-4  --name 'a b' --json "{\\"x\\": 1}" a\\ b ''`), ["--lr", "3e-4", "--name", "a b", "--json", '{"x": 1}', "a b", ""]);
  assert.deepEqual(split("  "), []);
});

// The matchers read what `rlvet check` prints.
test("the problem matchers match", () => {
  const [full, concise] = manifest.contributes.problemMatchers;
  const match = (pattern, line) => new RegExp(pattern.regexp).exec(line)?.slice(1);
  assert.deepEqual(match(full.pattern[0], "error[ADV009] [*] division by a std that can be zero"), ["error", "ADV009", "division by a std that can be zero"]);
  assert.deepEqual(match(full.pattern[1], "  --> src/train.py:45:18"), ["src/train.py", "45", "18"]);
  assert.deepEqual(match(full.pattern[1], "    --> train.ipynb:cell 3:2:5"), ["train.ipynb", "2", "5"]);
  assert.equal(match(full.pattern[0], "Found 2 errors."), undefined);
  assert.deepEqual(match(concise.pattern, "ppo.py:45:18: ADV009 [*] division by a std that can be zero"), ["ppo.py", "45", "18", "ADV009", "division by a std that can be zero"]);
});
