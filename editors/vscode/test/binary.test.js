// Which program is started.
const assert = require("node:assert");
const path = require("node:path");
const { test } = require("node:test");

const { load, program, uriOf, withPath } = require("./standin.js");

// started tells what an editor starts, or how it says that it cannot, without its folder.
const started = async (editor) => {
  editor.story.length = 0;
  await (editor.client || editor.item ? editor.commands["rlvet.restart"]() : editor.module.activate(editor.activation));
  return editor.story.filter((line) => !line.startsWith("stop ")).map((line) => line.replaceAll(editor.folder, "~"));
};
const install = "[How to install] [Open setting] [Try again]";

test("the setting wins over what is bundled, that over the environment, and that over the PATH", async () => {
  const editor = load();
  const at = (...names) => path.join(editor.folder, ...names);
  await withPath(editor, [at("bin")], async () => {
    assert.deepEqual(await started(editor), [`error: rlvet: the program rlvet is not installed: neither the Python environment nor the PATH has it ${install}`]);
    assert.equal(editor.client, undefined);
    editor.trusted = false;
    assert.deepEqual(await started(editor), [`error: rlvet: the program rlvet is not on the PATH; that of a Python environment is started only in a workspace that you trust ${install}`]);
    editor.trusted = true;
    program(at("bin", "rlvet"));
    assert.deepEqual(await started(editor), ["start ~/bin/rlvet server"]);
    editor.python = at("env", "bin", "python");
    assert.deepEqual(await started(editor), ["start ~/bin/rlvet server"]); // an environment without it
    program(at("env", "bin", "rlvet"));
    assert.deepEqual(await started(editor), ["start ~/env/bin/rlvet server"]);
    editor.trusted = false;
    assert.deepEqual(await started(editor), ["start ~/bin/rlvet server"]); // a program of a workspace
    editor.trusted = true;
    program(at("extension", "bundled", "rlvet"));
    assert.deepEqual(await started(editor), ["start ~/extension/bundled/rlvet server"]);
    program(at("workspace", "tools", "rlvet"));
    editor.settings["rlvet.path"] = "${workspaceFolder}/tools/rlvet";
    assert.deepEqual(await started(editor), ["start ~/workspace/tools/rlvet server"]);
    editor.settings["rlvet.path"] = "rlvet"; // a name on the PATH
    assert.deepEqual(await started(editor), ["start ~/bin/rlvet server"]);
    editor.settings["rlvet.path"] = at("gone");
    assert.deepEqual(await started(editor), [`error: rlvet: the setting rlvet.path is ~/gone, and there is no such program ${install}`]);
  });
});

test("another interpreter brings another program", async () => {
  const editor = load();
  const python = (name) => path.join(editor.folder, name, "bin", "python");
  program(path.join(editor.folder, "a", "bin", "rlvet"));
  program(path.join(editor.folder, "b", "bin", "rlvet"));
  await withPath(editor, [], async () => {
    editor.python = python("a");
    assert.deepEqual(await started(editor), ["start ~/a/bin/rlvet server"]);
    editor.python = python("b");
    editor.story.length = 0;
    await editor.choose();
    await editor.choose(); // the same again restarts nothing
    assert.deepEqual(editor.story.map((line) => line.replaceAll(editor.folder, "~")), ["stop ~/a/bin/rlvet", "start ~/b/bin/rlvet server"]);
  });
});

test("a program that is too old, too new or none at all is said in one line", async () => {
  const editor = load();
  const at = path.join(editor.folder, "bin", "rlvet");
  await withPath(editor, [path.dirname(at)], async () => {
    program(at, "0.0.9");
    assert.deepEqual(await started(editor), [`error: rlvet: ~/bin/rlvet is rlvet 0.0.9; this extension needs 0.1.0 or newer ${install}`]);
    program(at, "0.1.7-dev");
    assert.deepEqual(await started(editor), ["start ~/bin/rlvet server"]);
    program(at, "1.2.0");
    assert.deepEqual(await started(editor), ["start ~/bin/rlvet server", "warning: rlvet: ~/bin/rlvet is rlvet 1.2.0, newer than this extension (0.1.0); update the extension"]);
    assert.deepEqual(await started(editor), ["start ~/bin/rlvet server"]); // said once
    require("node:fs").writeFileSync(at, "#!/bin/sh\necho usage: something else\n");
    assert.deepEqual(await started(editor), [`error: rlvet: ~/bin/rlvet does not answer as rlvet does: it says "usage: something else\\n" ${install}`]);
  });
});

test("the buttons lead on", async () => {
  const editor = load();
  await withPath(editor, [], async () => {
    editor.answers.button = "How to install";
    await started(editor);
    editor.answers.button = "Open setting";
    await started(editor);
    assert.equal(editor.story.at(-1), 'command workbench.action.openSettings {"query":"@id:rlvet.path"}');
    editor.remote = "ssh-remote"; // whose settings of the machine have a page of their own
    await started(editor);
    assert.equal(editor.story.at(-1), 'command workbench.action.openRemoteSettings {"query":"@id:rlvet.path"}');
    await editor.commands["rlvet.openSetting"]("rlvet.python");
    assert.equal(editor.story.at(-1), 'command workbench.action.openRemoteSettings {"query":"@id:rlvet.python"}');
    editor.answers.button = "Try again";
    editor.story.length = 0;
    program(path.join(editor.folder, "env", "bin", "rlvet"));
    const restart = editor.commands["rlvet.restart"]();
    editor.python = path.join(editor.folder, "env", "bin", "python"); // installed meanwhile
    await restart;
    await new Promise((wait) => setTimeout(wait, 200));
    assert.equal(editor.client?.state, "running");
  });
});

test("commands that need the program say why it does not run, with the same buttons", async () => {
  const editor = load();
  await withPath(editor, [], async () => {
    await started(editor);
    editor.active = { document: { languageId: "python", fileName: "/train.py", uri: uriOf("/train.py") }, selection: { active: { line: 0 } } };
    for (const command of ["checkWorkspace", "confirmFile", "huntFile", "explainRule"]) {
      editor.story.length = 0;
      await editor.commands[`rlvet.${command}`](command === "explainRule" ? undefined : "");
      assert.deepEqual(editor.story, [`error: rlvet: the program rlvet is not installed: neither the Python environment nor the PATH has it ${install}`], command);
    }
  });
});
