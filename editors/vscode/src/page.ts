// The page of the evidence of a run, beside the program that ran.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { ColorThemeKind, Disposable, ExtensionContext, Uri, ViewColumn, WebviewPanel, window } from "vscode";

export class Pages implements Disposable {
  private panel: WebviewPanel | undefined;
  private html = "";
  private readonly listening: Disposable;

  constructor(private readonly context: ExtensionContext) {
    this.listening = window.onDidChangeActiveColorTheme(() => this.draw());
  }

  // file is where the page of a script lies: out of the workspace, so that nothing
  // appears in the user's project.
  file(script: Uri): string {
    const folder = path.join((this.context.storageUri ?? this.context.globalStorageUri).fsPath, "evidence");
    mkdirSync(folder, { recursive: true });
    return path.join(folder, `${createHash("sha256").update(script.toString()).digest("hex").slice(0, 16)}.html`);
  }

  keep(script: Uri, html: string): void {
    writeFileSync(this.file(script), html);
  }

  // open shows the page of the last run of a script; it is false where there was none.
  open(script: Uri): boolean {
    const file = this.file(script);
    if (!statSync(file, { throwIfNoEntry: false })) {
      return false;
    }
    this.html = readFileSync(file, "utf8");
    const title = `Evidence: ${path.posix.basename(script.path)}`;
    if (!this.panel) {
      // The page has no scripts and loads nothing, so it is allowed neither.
      this.panel = window.createWebviewPanel("rlvet.evidence", title, { viewColumn: ViewColumn.Beside, preserveFocus: true }, { enableScripts: false, localResourceRoots: [], enableFindWidget: true });
      this.panel.onDidDispose(() => (this.panel = undefined));
    }
    this.panel.title = title;
    this.draw();
    this.panel.reveal(undefined, true);
    return true;
  }

  dispose(): void {
    this.listening.dispose();
    this.panel?.dispose();
  }

  private draw(): void {
    if (this.panel) {
      this.panel.webview.html = inTheme(this.html, window.activeColorTheme.kind);
    }
  }
}

// inTheme makes a page light or dark as the editor is, which may differ from the system
// that the page would ask.
export function inTheme(html: string, kind: ColorThemeKind): string {
  const dark = kind === ColorThemeKind.Dark || kind === ColorThemeKind.HighContrast;
  return html.replaceAll("@media (prefers-color-scheme: dark)", dark ? "@media all" : "@media not all");
}
