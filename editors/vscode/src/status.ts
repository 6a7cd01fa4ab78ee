// The item of the status bar: what the server is doing, and how many findings the file has.
import { Diagnostic, Disposable, languages, MarkdownString, StatusBarAlignment, StatusBarItem, ThemeColor, window } from "vscode";

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
      languages.onDidChangeDiagnostics((change) => {
        const seen = window.activeTextEditor?.document.uri.toString();
        if (change.uris.some((uri) => uri.toString() === seen)) {
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
    const document = window.activeTextEditor?.document;
    if (!document || !checked(document.languageId)) {
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
        const found = languages.getDiagnostics(document.uri).filter((d: Diagnostic) => d.source === "rlvet").length;
        this.item.text = found > 0 ? `$(warning) rlvet ${version}: ${found}` : `$(check) rlvet ${version}`;
        this.item.tooltip = new MarkdownString(`rlvet ${version}: ${found === 0 ? "nothing found in this file" : found === 1 ? "1 finding in this file" : `${found} findings in this file`}\n\n\`${path}\`, from ${from}`);
      }
    }
    this.item.show();
  }
}
