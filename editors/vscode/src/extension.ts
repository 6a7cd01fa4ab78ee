// rlvet in Visual Studio Code: everything about Python is the server's business; here it
// is found, started and shown.
import { ExtensionContext, tasks, Uri, window, workspace } from "vscode";

import { remember } from "./arguments";
import { register } from "./commands";
import { Pages } from "./page";
import { onChange } from "./python";
import { Rules, scheme } from "./rules";
import { Server } from "./server";
import { Status } from "./status";
import { Tasks } from "./tasks";

let server: Server | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const log = window.createOutputChannel("rlvet");
  const status = new Status();
  const running = (server = new Server(context, log, status));
  const pages = new Pages(context);
  const rules = new Rules(running);
  remember(context.workspaceState);
  running.onEvidence = ({ uri, html }) => {
    pages.keep(Uri.parse(uri), html);
    pages.open(Uri.parse(uri));
  };
  context.subscriptions.push(
    log,
    status,
    pages,
    register({ server: running, pages, rules, log }),
    workspace.registerTextDocumentContentProvider(scheme, rules),
    tasks.registerTaskProvider("rlvet", new Tasks(running)),
    workspace.onDidGrantWorkspaceTrust(() => running.restart()),
    workspace.onDidChangeConfiguration((event) => (event.affectsConfiguration("rlvet.path") ? running.restart() : undefined)),
  );
  await running.restart();
  context.subscriptions.push(await onChange(() => running.chosen()));
}

export function deactivate(): Promise<void> | undefined {
  return server?.end();
}
