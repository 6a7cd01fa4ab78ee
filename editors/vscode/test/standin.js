// Stand-ins for Visual Studio Code and for the client of the Language Server Protocol:
// they note what the extension asks of them, and nothing else. Programs are real ones,
// scripts of a shell in a folder of their own.
const { buildSync } = require("esbuild");
const { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { tmpdir } = require("node:os");
const path = require("node:path");

const manifest = require("../package.json");

// load builds a file of src and loads it with the stand-ins. It returns what the file
// exports with what was asked: story, the list of what happened; settings, to be changed;
// fails, why servers do not start; answers, by what the user chooses.
exports.load = (file = "extension.ts") => {
  const editor = { story: [], settings: {}, commands: {}, context: {}, answers: {}, memory: {}, trusted: true, fails: undefined, python: undefined, folder: mkdtempSync(path.join(tmpdir(), "rlvet-test-")) };
  const standins = { vscode: api(editor), "vscode-languageclient/node": { LanguageClient: clientOf(editor), State: { Stopped: 1, Running: 2, Starting: 3 } } };
  const built = buildSync({
    entryPoints: [path.join(__dirname, "..", "src", file)], bundle: true, platform: "node", format: "cjs",
    external: Object.keys(standins), write: false,
  });
  const module = new Module("extension");
  module.require = (name) => standins[name] ?? require(name);
  module._compile(built.outputFiles[0].text, "extension.js");
  editor.extension = path.join(editor.folder, "extension");
  editor.workspace = path.join(editor.folder, "workspace");
  mkdirSync(editor.extension);
  mkdirSync(editor.workspace);
  return Object.assign(editor, { module: module.exports }, contextOf(editor));
};

// program writes a script that answers as rlvet of a version does, and more by a body.
exports.program = (at, version = "0.1.0", body = "") => {
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, `#!/bin/sh\nif [ "$1" = version ]; then echo "rlvet ${version}"; exit; fi\n${body}\n`);
  chmodSync(at, 0o755);
  return at;
};

// withPath runs a test with another PATH, and clears up behind the editor.
exports.withPath = async (editor, folders, test) => {
  const before = process.env.PATH;
  process.env.PATH = [...folders, "/usr/bin", "/bin"].join(path.delimiter);
  try {
    await test();
  } finally {
    process.env.PATH = before;
    rmSync(editor.folder, { recursive: true, force: true });
  }
};

const contextOf = (editor) => ({
  activation: {
    subscriptions: [],
    extensionPath: path.join(editor.folder, "extension"),
    extension: { packageJSON: manifest },
    storageUri: uriOf(path.join(editor.folder, "storage")),
    workspaceState: { get: (key, otherwise) => editor.memory[key] ?? otherwise, update: async (key, value) => void (editor.memory[key] = value) },
  },
});

const uriOf = (file, scheme = "file") => ({ scheme, path: file, fsPath: file, toString: () => `${scheme}://${file}` });
exports.uriOf = uriOf;

class Disposable {
  constructor(end) {
    this.dispose = end ?? (() => undefined);
  }
  static from(...all) {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

// on is an event: it tells all who listen when it is called by its name.
const on = (editor, name) => (heard) => {
  const before = editor[name];
  editor[name] = (...args) => (before?.(...args), heard(...args));
  return new Disposable();
};

const api = (editor) => ({
  Disposable,
  Uri: { parse: (text) => uriOf(text.replace(/^\w+:\/\//, ""), text.split(":")[0]), from: ({ scheme, path: file }) => uriOf(file, scheme), file: (file) => uriOf(file) },
  Range: class {
    constructor(...at) {
      this.at = at;
    }
  },
  Position: class {},
  MarkdownString: class {
    constructor(value) {
      this.value = value;
    }
  },
  EventEmitter: class {
    event = () => new Disposable();
  },
  ThemeColor: class {},
  Task: class {
    constructor(definition, scope, name, source, execution) {
      Object.assign(this, { definition, scope, name, source, execution });
    }
  },
  ProcessExecution: class {
    constructor(process, args) {
      Object.assign(this, { process, args });
    }
  },
  TaskScope: { Workspace: 2 },
  StatusBarAlignment: { Left: 1, Right: 2 },
  ProgressLocation: { Notification: 15 },
  ColorThemeKind: { Light: 1, Dark: 2, HighContrast: 3, HighContrastLight: 4 },
  ViewColumn: { Beside: -2 },
  env: { get remoteName() { return editor.remote; }, openExternal: async (uri) => editor.story.push(`open ${uri}`) },
  extensions: { getExtension: (id) => (id === "ms-python.python" && editor.python ? pythonOf(editor) : undefined) },
  languages: { getDiagnostics: (uri) => (Array.isArray(editor.diagnostics) ? editor.diagnostics : editor.diagnostics?.[uri.toString()]) ?? [], onDidChangeDiagnostics: on(editor, "diagnosed") },
  tasks: {
    registerTaskProvider: (type, provider) => {
      editor.tasks = provider;
      return new Disposable();
    },
  },
  commands: {
    registerCommand: (name, run) => ((editor.commands[name] = run), new Disposable()),
    executeCommand: async (name, ...args) => {
      if (name === "vscode.executeCodeActionProvider") {
        return editor.answers.actions;
      } else if (name === "setContext") {
        editor.context[args[0]] = args[1];
      } else if (editor.commands[name]) {
        return editor.commands[name](...args);
      } else {
        editor.story.push(`command ${[name, ...args].map((arg) => (typeof arg === "object" && !(arg.scheme) ? JSON.stringify(arg) : String(arg))).join(" ")}`);
      }
      return undefined;
    },
  },
  window: {
    get activeTextEditor() {
      return editor.active;
    },
    get activeNotebookEditor() {
      return editor.notebook;
    },
    activeColorTheme: { kind: 1 },
    createOutputChannel: () => ({ append() {}, appendLine() {}, show: () => editor.story.push("log"), dispose() {} }),
    createStatusBarItem: () => (editor.item = { show: () => (editor.item.visible = true), hide: () => (editor.item.visible = false), dispose() {} }),
    createWebviewPanel: (type, title) => (editor.panel = { title, webview: {}, onDidDispose() {}, reveal() {}, dispose() {} }),
    onDidChangeActiveTextEditor: on(editor, "looked"),
    onDidChangeActiveNotebookEditor: on(editor, "lookedAtNotebook"),
    onDidChangeActiveColorTheme: on(editor, "themed"),
    showErrorMessage: (text, ...buttons) => said(editor, "error", text, buttons),
    showWarningMessage: (text, ...buttons) => said(editor, "warning", text, buttons),
    showInformationMessage: (text, ...buttons) => said(editor, "info", text, buttons),
    showSaveDialog: async ({ defaultUri }) => (editor.story.push(`save as ${defaultUri}`), editor.answers.file && uriOf(editor.answers.file)),
    showInputBox: async (box) => (editor.box = box) && editor.answers.input,
    showQuickPick: async (items) => (editor.items = items).find((item) => item.label.includes(editor.answers.pick)),
    showTextDocument: async (document) => {
      editor.active = { document };
      return { edit: async (change) => change({ insert: (_, text) => (document.text = text) }) };
    },
    withProgress: (options, work) => {
      const token = { isCancellationRequested: false, onCancellationRequested: (cancel) => (editor.cancel = () => ((token.isCancellationRequested = true), cancel())) };
      return work({ report() {} }, token);
    },
  },
  workspace: {
    get isTrusted() {
      return editor.trusted;
    },
    get workspaceFolders() {
      return editor.folderless ? undefined : [{ name: "workspace", uri: uriOf(editor.workspace) }];
    },
    textDocuments: [],
    fs: { writeFile: async (uri, bytes) => writeFileSync(uri.fsPath, bytes) },
    applyEdit: async (edit) => void editor.story.push(`edit ${JSON.stringify(edit)}`),
    openTextDocument: async (document) => {
      const opened = { languageId: "python", fileName: document.fsPath, uri: document, isDirty: false, text: "", getText: () => opened.text };
      return document.scheme ? opened : document;
    },
    save: async (uri) => (editor.story.push(`save ${uri}`), editor.answers.file && uriOf(editor.answers.file)),
    registerTextDocumentContentProvider: (scheme, provider) => {
      editor.provider = provider;
      return new Disposable();
    },
    getConfiguration: (section) => ({
      get: (key, otherwise) => editor.settings[`${section}.${key}`] ?? otherwise,
      inspect: (key) => ({ globalValue: editor.settings[`${section}.${key}`] }),
    }),
    onDidGrantWorkspaceTrust: on(editor, "grant"),
    onDidChangeConfiguration: (heard) => {
      editor.change = (key, value) => {
        editor.settings[key] = value;
        return heard({ affectsConfiguration: (asked) => asked === key });
      };
      return new Disposable();
    },
  },
});

const said = async (editor, kind, text, buttons) => {
  editor.story.push(`${kind}: ${[text, ...buttons.map((button) => `[${button}]`)].join(" ")}`);
  return buttons.find((button) => button === editor.answers.button);
};

const pythonOf = (editor) => ({
  isActive: false,
  activate: async () => ({
    environments: {
      getActiveEnvironmentPath: () => ({ path: editor.python }),
      resolveEnvironment: async ({ path: at }) => ({ executable: { uri: uriOf(at) } }),
      onDidChangeActiveEnvironmentPath: on(editor, "choose"),
    },
  }),
});

const clientOf = (editor) =>
  class {
    constructor(id, name, server, options) {
      Object.assign(this, { server, options, state: "new", heard: {} });
      editor.client = this;
    }
    registerFeature(feature) {
      const capabilities = {};
      feature.fillClientCapabilities(capabilities);
      this.capabilities = capabilities;
    }
    onNotification(method, heard) {
      this.heard[method] = heard;
    }
    onDidChangeState(heard) {
      this.changed = heard;
    }
    async sendRequest(method, params, token) {
      editor.story.push(`request ${[method, ...(params.arguments ?? [])].join(" ")}`);
      const answer = editor.answers[method];
      return typeof answer === "function" ? answer(this, token) : answer;
    }
    async start() {
      editor.story.push(`start ${[this.server.command, ...this.server.args].join(" ")}`);
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
