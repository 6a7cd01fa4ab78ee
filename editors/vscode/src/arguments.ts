// The arguments with which the user runs a script: asked for once, and remembered.
import { Memento, Uri, window } from "vscode";

let memory: Memento | undefined;

export function remember(where: Memento): void {
  memory = where;
}

const key = (script: string): string => `arguments:${script}`;

// remembered returns the arguments of the script with a URI as it was run last.
export function remembered(script: string): string[] {
  return split(memory?.get<string>(key(script), "") ?? "");
}

// ask lets the user change them; it is undefined where the user went back.
export async function ask(script: Uri, what: string): Promise<string[] | undefined> {
  const text = await window.showInputBox({
    title: what,
    prompt: "Arguments of the script, as in --lr 3e-4; leave empty for none. The script runs under five seeds, in a copy of its project.",
    value: memory?.get<string>(key(script.toString()), "") ?? "",
    ignoreFocusOut: true,
  });
  if (text !== undefined) {
    await memory?.update(key(script.toString()), text);
  }
  return text === undefined ? undefined : split(text);
}

// split takes a line apart as a shell would: at blanks, but not within quotes.
export function split(line: string): string[] {
  const words = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? [];
  return words.map((word) => word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g, (_, double?: string, single?: string, escaped?: string) => double?.replace(/\\(["\\])/g, "$1") ?? single ?? escaped ?? ""));
}
