// The commands of the palette. Those named rlvet.confirm and rlvet.explain are the
// server's, and registered by its client.
import { existsSync } from "node:fs";
import * as path from "node:path";
import { CodeAction, commands, Disposable, OutputChannel, Position, QuickPickItem, Range, Uri, window, workspace } from "vscode";

import { current, follow } from "./current";
import { example, exampleName } from "./example";
import { Pages } from "./page";
import { Rules } from "./rules";
import { confirm, hunt } from "./run";
import { Server } from "./server";
import { Absent, installation, openSetting, reason, tell, Trouble } from "./trouble";

export interface Parts {
  server: Server;
  pages: Pages;
  rules: Rules;
  log: OutputChannel;
}

type Command = (...args: unknown[]) => unknown;

export function register(parts: Parts): Disposable {
  const all: Record<string, Command> = {
    "rlvet.checkWorkspace": () => checkWorkspace(parts.server),
    "rlvet.fixAll": () => fixAll(parts.server),
    "rlvet.confirmFile": () => confirm(parts.server, parts.log),
    "rlvet.huntFile": () => hunt(parts.server, parts.pages, parts.log),
    "rlvet.openEvidence": () => openEvidence(parts.pages),
    "rlvet.explainRule": (code) => parts.rules.explain(code),
    "rlvet.openExample": openExample,
    "rlvet.restart": () => parts.server.restart(),
    "rlvet.showLog": () => parts.log.show(),
    "rlvet.openSetting": (key) => openSetting(key === "rlvet.python" ? key : undefined),
    "rlvet.menu": () => menu(parts.server),
  };
  return Disposable.from(follow(), ...Object.entries(all).map(([name, command]) => commands.registerCommand(name, guarded(command, parts.log))));
}

// guarded says in a line what went wrong in a command.
function guarded(command: Command, log: OutputChannel): Command {
  return async (...args) => {
    try {
      return await command(...args);
    } catch (error) {
      log.appendLine(error instanceof Error ? (error.stack ?? error.message) : String(error));
      if (error instanceof Trouble && !(error instanceof Absent)) {
        void window.showErrorMessage(`rlvet: ${reason(error)}`);
      } else {
        void tell(error);
      }
      return undefined;
    }
  };
}

// openExample opens the example as a new text. In a folder it has a name there, so that it is saved by that; without a
// folder it is asked for where it is run.
async function openExample(): Promise<void> {
  const folder = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  const name = [exampleName, ...[2, 3, 4, 5].map((n) => `ppo_example_${n}.py`)].find((name) => folder && !existsSync(path.join(folder.uri.fsPath, name)));
  if (!folder || name === undefined) {
    await window.showTextDocument(await workspace.openTextDocument({ language: "python", content: example }));
    return;
  }
  const document = await workspace.openTextDocument(Uri.from({ scheme: "untitled", path: `${folder.uri.path}/${name}` }));
  const editor = await window.showTextDocument(document);
  if (document.getText() === "") { // else it is open already
    await editor.edit((edit) => edit.insert(new Position(0, 0), example));
  }
}

interface Report {
  items: { uri: string; items?: { data?: { findings?: number } }[] }[];
}

// checkWorkspace waits until all files were checked, which the server does by itself, and
// shows what it found.
async function checkWorkspace(server: Server): Promise<void> {
  const client = server.client;
  if (!client) {
    throw server.absent();
  }
  if (!workspace.workspaceFolders?.length) {
    throw new Trouble("no folder is open");
  }
  const report = await window.withProgress({ location: { viewId: "workbench.panel.markers.view" }, title: "rlvet checks the workspace" }, () =>
    client.sendRequest<Report>("workspace/diagnostic", { previousResultIds: [] }),
  );
  const found = counted(report);
  const counts = [...found.values()].filter((count) => count > 0);
  const sum = counts.reduce((all, count) => all + count, 0);
  await commands.executeCommand("workbench.actions.view.problems");
  const many = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
  void window.showInformationMessage(`rlvet: ${sum === 0 ? "nothing found" : `${many(sum, "finding")} in ${many(counts.length, "file")}`}; ${many(found.size, "file")} checked`);
}

// counted returns the number of findings by file. The cells of an open notebook are documents of
// one file; one that is not open has a line that says how many it has.
function counted(report: Report): Map<string, number> {
  const found = new Map<string, number>();
  for (const { uri, items = [] } of report.items) {
    const file = uri.replace(/^[\w-]+:(\/\/[^/]*)?/, "").replace(/#.*/, "");
    found.set(file, items.reduce((sum, item) => sum + (item.data?.findings ?? 1), found.get(file) ?? 0));
  }
  return found;
}

// fixAll applies all safe fixes. The editor's own command would say of a file without any that
// there are no code actions of a kind.
async function fixAll(server: Server): Promise<void> {
  const document = current();
  if (!server.client) {
    throw server.absent();
  }
  if (document?.languageId !== "python") {
    throw new Trouble("open the Python file to fix first");
  }
  const whole = new Range(0, 0, document.lineCount, 0);
  const actions = await commands.executeCommand<CodeAction[] | undefined>("vscode.executeCodeActionProvider", document.uri, whole, "source.fixAll.rlvet");
  const edit = actions?.find((action) => action.edit)?.edit;
  if (!edit) {
    void window.showInformationMessage("rlvet: this file has nothing that a safe fix mends");
    return;
  }
  await workspace.applyEdit(edit);
}

function openEvidence(pages: Pages): void {
  const document = current();
  if (!document) {
    throw new Trouble("open the Python script whose evidence to show first");
  }
  if (!pages.open(document.uri)) {
    void window.showInformationMessage("rlvet: this file has no evidence yet; confirm or hunt it first");
  }
}

interface Choice extends QuickPickItem {
  command: string;
  argument?: unknown;
}

const choices: Choice[] = [
  { label: "$(checklist) Check workspace", command: "rlvet.checkWorkspace" },
  { label: "$(wand) Fix all in this file", command: "rlvet.fixAll" },
  { label: "$(beaker) Confirm this file by running it", command: "rlvet.confirmFile" },
  { label: "$(search) Hunt for NaN in this file by running it", command: "rlvet.huntFile" },
  { label: "$(graph) Open evidence of this file", command: "rlvet.openEvidence" },
  { label: "$(book) Explain a rule", command: "rlvet.explainRule" },
];
const always: Choice[] = [
  { label: "$(output) Show log", command: "rlvet.showLog" },
  { label: "$(debug-restart) Restart server", command: "rlvet.restart" },
];

// menu is what the item of the status bar opens: while no server runs, what may help.
async function menu(server: Server): Promise<void> {
  const help: Choice[] = [
    { label: "$(desktop-download) How to install", command: "vscode.open", argument: installation },
    { label: "$(gear) Open setting", command: "rlvet.openSetting" },
  ];
  const chosen = await window.showQuickPick([...(server.client ? choices : help), ...always], { title: "rlvet" });
  if (chosen) {
    await commands.executeCommand(chosen.command, ...(chosen.argument === undefined ? [] : [chosen.argument]));
  }
}
