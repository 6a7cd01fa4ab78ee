// The program that a command means: that of the active editor, else the Python that was active
// last, while it is open. In front of it may stand the walkthrough, or the page of a run.
import { Disposable, TextDocument, TextEditor, window } from "vscode";

let last: TextDocument | undefined;

export function follow(): Disposable {
  const note = (editor?: TextEditor): void => {
    if (editor?.document.languageId === "python") {
      last = editor.document;
    }
  };
  note(window.activeTextEditor);
  return window.onDidChangeActiveTextEditor(note);
}

export function current(): TextDocument | undefined {
  const active = window.activeTextEditor?.document;
  if (active && active.uri.scheme !== "output") {
    return active;
  }
  return last?.isClosed ? undefined : last;
}
