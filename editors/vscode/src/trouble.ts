// What keeps rlvet from working, said in one line with buttons for what can be done.
import { commands, env, Uri, window } from "vscode";

// Trouble is an error whose message is meant for the user.
export class Trouble extends Error {}

// Absent is a Trouble that an installation, a setting or another try mends.
export class Absent extends Trouble {}

export const installation = Uri.parse("https://github.com/rlvet/rlvet/blob/main/docs/install.md");

const install = "How to install";
const setting = "Open setting";
const again = "Try again";
const log = "Show log";

export async function tell(error: unknown): Promise<void> {
  const buttons = error instanceof Absent ? [install, setting, again] : [log, setting];
  const chosen = await window.showErrorMessage(`rlvet: ${reason(error)}`, ...buttons);
  if (chosen === install) {
    await env.openExternal(installation);
  } else if (chosen === setting) {
    await openSetting();
  } else if (chosen === again) {
    await commands.executeCommand("rlvet.restart");
  } else if (chosen === log) {
    await commands.executeCommand("rlvet.showLog");
  }
}

// openSetting shows a setting that names a program. It is the machine's, and in a window on
// another machine that has a page of its own.
export async function openSetting(key: "rlvet.path" | "rlvet.python" = "rlvet.path"): Promise<void> {
  const page = env.remoteName === undefined ? "workbench.action.openSettings" : "workbench.action.openRemoteSettings";
  await commands.executeCommand(page, { query: `@id:${key}` });
}

// reason is the first line of an error.
export function reason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n")[0] ?? "";
}
