import { commands, ExtensionContext, window, workspace } from "vscode";
import { LanguageClient, LanguageClientOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

// Everything but the name of the program is the server's business: it asks for the
// other settings by workspace/configuration.
async function start(): Promise<void> {
  const path = workspace.getConfiguration("rlvet").get<string>("path", "rlvet");
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "python" }, { language: "yaml" }, { language: "toml" }, { language: "shellscript" }, { language: "json" }, { notebook: "jupyter-notebook", language: "python" }],
    synchronize: { configurationSection: "rlvet" },
  };
  const starting = new LanguageClient("rlvet", "rlvet", { command: path, args: ["server"] }, options);
  try {
    await starting.start();
    client = starting;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    // Not awaited: nobody has to answer it.
    void window.showErrorMessage(`rlvet: \`${path} server\` cannot be started: ${why}; install rlvet, or set rlvet.path`);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

// One after the other: a setting may change while the server starts.
let last: Promise<void> = Promise.resolve();

function restart(): Promise<void> {
  last = last.then(stop, stop).then(start);
  return last;
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("rlvet.restart", restart),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("rlvet.path")) {
        await restart();
      }
    }),
  );
  await restart();
}

export function deactivate(): Promise<void> {
  last = last.then(stop, stop);
  return last;
}
