// Stand-ins for Visual Studio Code and for the client of the Language Server Protocol:
// they note what the extension asks of them, and nothing else.
const { buildSync } = require("esbuild");
const Module = require("node:module");
const path = require("node:path");

// load builds the extension and loads it with the stand-ins. It returns the extension
// with what was asked: story, the list of what happened; settings, to be changed; fails,
// why servers do not start.
exports.load = () => {
  const editor = { story: [], settings: {}, commands: {}, fails: undefined };
  const standins = { vscode: api(editor), "vscode-languageclient/node": { LanguageClient: clientOf(editor) } };
  const built = buildSync({
    entryPoints: [path.join(__dirname, "..", "src", "extension.ts")], bundle: true, platform: "node", format: "cjs",
    external: Object.keys(standins), write: false,
  });
  const module = new Module("extension");
  module.require = (name) => standins[name];
  module._compile(built.outputFiles[0].text, "extension.js");
  return Object.assign(editor, module.exports);
};

const api = (editor) => ({
  commands: { registerCommand: (name, run) => ((editor.commands[name] = run), { dispose() {} }) },
  window: { showErrorMessage: async (text) => editor.story.push(`error: ${text}`) },
  workspace: {
    getConfiguration: (section) => ({ get: (key, otherwise) => editor.settings[`${section}.${key}`] ?? otherwise }),
    onDidChangeConfiguration: (heard) => {
      editor.change = (key, value) => {
        editor.settings[key] = value;
        return heard({ affectsConfiguration: (asked) => asked === key });
      };
      return { dispose() {} };
    },
  },
});

const clientOf = (editor) =>
  class {
    constructor(id, name, server, options) {
      Object.assign(this, { server, options, state: "new" });
      editor.client = this;
    }
    async start() {
      const command = [this.server.command, ...this.server.args].join(" ");
      editor.story.push(`start ${command}`);
      await new Promise(setImmediate);
      if (editor.fails) {
        throw new Error(editor.fails);
      }
      this.state = "running";
    }
    async stop() {
      if (this.state !== "running") {
        throw new Error(`a client that is ${this.state} cannot be stopped`); // as the real one does
      }
      this.state = "stopped";
      editor.story.push(`stop ${this.server.command}`);
    }
  };
