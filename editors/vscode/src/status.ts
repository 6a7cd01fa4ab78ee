// The item of the status bar: what the server is doing, and how many findings the file has.
import { Disposable, languages, MarkdownString, StatusBarAlignment, StatusBarItem, ThemeColor, Uri, window } from "vscode";

import { Binary } from "./binary";
import { checked } from "./languages";

export class Status implements Disposable {
  private readonly item: StatusBarItem;
  private readonly listening: Disposable;
  private state: { kind: "starting" } | { kind: "ready"; binary: Binary } | { kind: "failed"; why: string } = { kind: "starting" };

  constructor() {
    this.item = window.createStatusBarItem("rlvet", StatusBarAlignment.Right, 100);
    this.item.name = "rlvet";
    this.item.command = "rlvet.menu";
    this.listening = Disposable.from(
      window.onDidChangeActiveTextEditor(() => this.show()),
      window.onDidChangeActiveNotebookEditor(() => this.show()),
      languages.onDidChangeDiagnostics((change) => {
        const seen = new Set(shown()?.map((uri) => uri.toString()));
        if (change.uris.some((uri) => seen.has(uri.toString()))) {
          this.show();
        }
      }),
    );
  }

  starting(): void {
    this.state = { kind: "starting" };
    this.show();
  }

  ready(binary: Binary): void {
    this.state = { kind: "ready", binary };
    this.show();
  }

  failed(why: string): void {
    this.state = { kind: "failed", why };
    this.show();
  }

  dispose(): void {
    this.listening.dispose();
    this.item.dispose();
  }

  private show(): void {
    const seen = shown();
    if (!seen) {
      this.item.hide();
      return;
    }
    this.item.backgroundColor = undefined;
    switch (this.state.kind) {
      case "starting":
        this.item.text = "$(loading~spin) rlvet";
        this.item.tooltip = "rlvet is starting";
        break;
      case "failed":
        this.item.text = "$(error) rlvet";
        this.item.tooltip = this.state.why;
        this.item.backgroundColor = new ThemeColor("statusBarItem.errorBackground");
        break;
      case "ready": {
        const { version, path, from } = this.state.binary;
        const found = seen.flatMap((uri) => languages.getDiagnostics(uri)).filter((d) => d.source === "rlvet").length;
        const where = `in this ${window.activeNotebookEditor ? "notebook" : "file"}`;
        this.item.text = found > 0 ? `$(warning) rlvet ${version}: ${found}` : `$(check) rlvet ${version}`;
        this.item.tooltip = new MarkdownString(`rlvet ${version}: ${found === 0 ? "nothing found" : found === 1 ? "1 finding" : `${found} findings`} ${where}\n\n\`${path}\`, from ${from}`);
      }
    }
    this.item.show();
  }
}

// shown are the documents that the user sees and that are checked: the active one, or all cells
// of the active notebook.
function shown(): Uri[] | undefined {
  const documents = window.activeNotebookEditor?.notebook.getCells().map((cell) => cell.document) ?? [window.activeTextEditor?.document];
  const uris = documents.flatMap((document) => (document && checked(document.languageId) ? [document.uri] : []));
  return uris.length > 0 ? uris : undefined;
}
