// What keeps rlvet from working, said in one line with buttons for what can be done.
import { commands, env, Uri, window } from "vscode";

// Trouble is an error whose message is meant for the user.
export class Trouble extends Error {}

export const installation = Uri.parse("https://github.com/rlvet/rlvet/blob/main/docs/install.md");

const install = "How to install";
const setting = "Open setting";
const log = "Show log";

export async function tell(error: unknown): Promise<void> {
  const trouble = error instanceof Trouble;
  const buttons = trouble ? [install, setting] : [log, setting];
  const chosen = await window.showErrorMessage(`rlvet: ${reason(error)}`, ...buttons);
  if (chosen === install) {
    await env.openExternal(installation);
  } else if (chosen === setting) {
    await commands.executeCommand("workbench.action.openSettings", "rlvet.path");
  } else if (chosen === log) {
    await commands.executeCommand("rlvet.showLog");
  }
}

// reason is the first line of an error.
export function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n")[0] ?? "";
}
