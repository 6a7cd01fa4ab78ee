// Pages of rules, as Markdown that the editor shows.
import { execFile } from "node:child_process";
import { commands, EventEmitter, languages, Position, QuickPickItem, TextDocumentContentProvider, Uri, window, workspace } from "vscode";

import { Server } from "./server";

export const scheme = "rlvet-rule";

interface Rule {
  code: string;
  name: string;
  status: string;
  summary: string;
}

export class Rules implements TextDocumentContentProvider {
  private readonly changed = new EventEmitter<Uri>();
  readonly onDidChange = this.changed.event;

  constructor(private readonly server: Server) {}

  provideTextDocumentContent(uri: Uri): Promise<string> {
    return this.ask("rule", uri.path.replace(/^\/|\.md$/g, ""), "--output-format", "markdown");
  }

  // explain shows the page of a rule beside the program: of the one that is named, else
  // that of the finding at the cursor or on its line, else of one that the user picks.
  async explain(code: unknown): Promise<void> {
    const wanted = typeof code === "string" ? code : (codeAtCursor() ?? (await this.pick()));
    if (wanted !== undefined) {
      await commands.executeCommand("markdown.showPreviewToSide", Uri.from({ scheme, path: `/${wanted}.md` }));
    }
  }

  private async pick(): Promise<string | undefined> {
    const rules = JSON.parse(await this.ask("rules", "--output-format", "json")) as Rule[];
    const items = rules.map((rule): QuickPickItem => ({ label: rule.code, description: rule.status === "preview" ? `${rule.name} (preview)` : rule.name, detail: rule.summary.replaceAll("`", "") }));
    const chosen = await window.showQuickPick(items, { title: "Explain a rule", matchOnDescription: true, matchOnDetail: true, placeHolder: "A code, a name, or words of what it finds" });
    return chosen?.label;
  }

  private ask(...args: string[]): Promise<string> {
    const program = this.server.binary?.path;
    if (program === undefined) {
      return Promise.reject(this.server.absent());
    }
    return new Promise((resolve, reject) => {
      execFile(program, args, { maxBuffer: 1 << 24, windowsHide: true, cwd: workspace.workspaceFolders?.[0]?.uri.fsPath }, (error, output, said) =>
        error ? reject(new Error(said.trim() || error.message)) : resolve(output),
      );
    });
  }
}

function codeAtCursor(): string | undefined {
  const editor = window.activeTextEditor;
  if (!editor) {
    return undefined;
  }
  const at: Position = editor.selection.active;
  const found = languages.getDiagnostics(editor.document.uri).filter((d) => d.source === "rlvet");
  const code = (found.find((d) => d.range.contains(at)) ?? found.find((d) => d.range.start.line === at.line))?.code;
  return typeof code === "object" ? String(code.value) : code === undefined ? undefined : String(code);
}
