import { commands, ExtensionContext, workspace } from "vscode";
import { LanguageClient, LanguageClientOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

// Everything but the name of the program is the server's business: it asks for the
// other settings by workspace/configuration.
async function start(): Promise<void> {
  const path = workspace.getConfiguration("rlvet").get<string>("path", "rlvet");
  const options: LanguageClientOptions = {
    documentSelector: [{ language: "python" }, { notebook: "jupyter-notebook", language: "python" }],
    synchronize: { configurationSection: "rlvet" },
  };
  client = new LanguageClient("rlvet", "rlvet", { command: path, args: ["server"] }, options);
  await client.start();
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("rlvet.restart", async () => {
      await deactivate();
      await start();
    }),
    workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("rlvet.path")) {
        await commands.executeCommand("rlvet.restart");
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
  client = undefined;
}
