// Runs of the user's script, to confirm what is found in it or to hunt for NaN.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import * as path from "node:path";
import { CancellationToken, commands, OutputChannel, ProgressLocation, TextDocument, Uri, window, workspace } from "vscode";

import { ask } from "./arguments";
import { expand } from "./binary";
import { current } from "./current";
import { example, exampleName } from "./example";
import { Pages } from "./page";
import { Server } from "./server";
import { openSetting, reason, Trouble } from "./trouble";

type Verb = "confirm" | "hunt";

const titles: Record<Verb, string> = { confirm: "Confirm this file by running it", hunt: "Hunt for NaN in this file by running it" };

// What the server answers of a whole file: the report, and what kept it from being judged.
interface Confirmation {
  report: string;
  trouble?: string;
}

// confirm has the server run the script, which then shows the verdicts at the findings, and sends
// the page.
export async function confirm(server: Server, log: OutputChannel): Promise<void> {
  const script = await ready("confirm", server);
  const client = server.client;
  if (!script || !client) {
    return;
  }
  const { document, args } = script;
  const asked = { command: "rlvet.confirm", arguments: [document.uri.toString(), "", ...args] };
  let failure: string | undefined;
  let report = "";
  const cancelled = await watch("confirm", script, log, async (token) => {
    try {
      const answer = await client.sendRequest<Confirmation>("workspace/executeCommand", asked, token);
      [report, failure] = [answer.report, answer.trouble];
      log.append(`${report}${failure ? `${failure}\n` : ""}`);
    } catch (error) {
      failure = reason(error);
      log.appendLine(`error: ${failure}`);
    }
  });
  if (!cancelled) {
    await say("confirm", report, failure, log);
  }
}

// hunt runs the program for it, whose page is shown where there is one.
export async function hunt(server: Server, pages: Pages, log: OutputChannel): Promise<void> {
  const script = await ready("hunt", server);
  const program = server.binary?.path;
  if (!script || program === undefined) {
    return;
  }
  const { document, args } = script;
  const folder = mkdtempSync(path.join(tmpdir(), "rlvet-"));
  try {
    const words = ["hunt", path.basename(document.fileName), "--report", folder, ...python(server), "--", ...args];
    let ended: Ended = { code: null, output: "", errors: "" };
    const cancelled = await watch("hunt", script, log, async (token) => {
      ended = await end(program, words, path.dirname(document.fileName), log, token);
    });
    if (cancelled) {
      return;
    }
    const page = path.join(folder, "postmortem.html");
    if (statSync(page, { throwIfNoEntry: false })?.size) {
      pages.keep(document.uri, readFileSync(page, "utf8"));
      pages.open(document.uri);
    }
    const failed = ended.code !== 0 && ended.code !== 1;
    await say("hunt", ended.output, failed ? ended.errors.trim() || "it failed" : undefined, log);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Script {
  document: TextDocument;
  args: string[];
}

// ready is the saved script that is meant, with the arguments for it; undefined where the user
// went back.
async function ready(verb: Verb, server: Server): Promise<Script | undefined> {
  if (!workspace.isTrusted) {
    throw new Trouble("the script runs only in a workspace that you trust");
  }
  if (!server.client) {
    throw server.absent();
  }
  const document = await onDisk(current());
  if (document?.languageId !== "python" || document.uri.scheme !== "file") {
    throw new Trouble(document?.isUntitled ? `only a saved script runs; save it to ${verb} it` : `open the Python script to ${verb} first`);
  }
  const args = await ask(document.uri, titles[verb]);
  return args !== undefined && (await saved(document)) ? { document, args } : undefined;
}

// onDisk has a new text saved, for which the editor asks where. It is the same where the user
// went back.
async function onDisk(document: TextDocument | undefined): Promise<TextDocument | undefined> {
  if (document?.languageId !== "python" || !document.isUntitled) {
    return document;
  }
  if (!path.isAbsolute(document.uri.fsPath) && document.getText() === example) {
    return keepExample(document);
  }
  const file = await workspace.save(document.uri);
  return file ? workspace.openTextDocument(file) : document;
}

// keepExample saves the example where no folder is open: the editor would propose a name made of its
// first line, an import.
async function keepExample(document: TextDocument): Promise<TextDocument> {
  const file = await window.showSaveDialog({ defaultUri: Uri.file(path.join(homedir(), exampleName)), filters: { Python: ["py"] } });
  if (!file) {
    return document;
  }
  await workspace.fs.writeFile(file, Buffer.from(example));
  await window.showTextDocument(document);
  await commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  const kept = await workspace.openTextDocument(file);
  await window.showTextDocument(kept);
  return kept;
}

async function saved(document: TextDocument): Promise<boolean> {
  return !document.isDirty || document.save();
}

function python(server: Server): string[] {
  const given = expand(workspace.getConfiguration("rlvet").get<string>("python", "")) || server.interpreter?.path;
  return given ? ["--python", given] : [];
}

// watch shows that something runs, until it ends or the user cancels; then it is true.
async function watch(verb: Verb, { document, args }: Script, log: OutputChannel, run: (token: CancellationToken) => Promise<void>): Promise<boolean> {
  const title = ["rlvet", verb, path.basename(document.fileName)].join(" ");
  return window.withProgress({ location: ProgressLocation.Notification, title, cancellable: true }, async (progress, token) => {
    log.appendLine(`$ ${[title, ...(args.length > 0 ? ["--", ...args] : [])].join(" ")}`);
    progress.report({ message: "running the script under five seeds" });
    await run(token);
    return token.isCancellationRequested;
  });
}

interface Ended {
  code: number | null;
  output: string;
  errors: string;
}

// end runs the program with its output in the log, until it ends.
function end(program: string, words: string[], cwd: string, log: OutputChannel, token: CancellationToken): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, windowsHide: true, stdio: ["ignore", "pipe", "pipe"] });
    const result: Ended = { code: null, output: "", errors: "" };
    token.onCancellationRequested(() => child.kill("SIGINT")); // at which it ends the scripts that it started
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      result.output += text;
      log.append(text);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      result.errors += text;
      log.append(text);
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ ...result, code }));
  });
}

const show = "Show log";
const choose = "Choose the Python";

// say tells in a line what came of it, or what kept it from running.
async function say(verb: Verb, report: string, failure: string | undefined, log: OutputChannel): Promise<void> {
  const chosen =
    failure === undefined
      ? await window.showInformationMessage(`rlvet ${verb}: ${summary(report)}`, show)
      : await window.showErrorMessage(`rlvet ${verb}: ${spoken(failure)}`, choose, show);
  if (chosen === show) {
    log.show(true);
  } else if (chosen === choose) {
    await openSetting("rlvet.python");
  }
}

// spoken is the last line of what went wrong, without what one would type on a command line, and without
// the way to the Python, for which there is a button.
export function spoken(failure: string): string {
  const lines = failure.trim().split("\n");
  return (lines[lines.length - 1] ?? "")
    .replace(/^(rlvet|error): /, "")
    .replace(/ \([^()]*--[^()]*\)$/, "")
    .replace(/(;|, or) give (another with )?--python( PATH)?$/, "")
    .replace(/; choose the Python in which you train by [^;]*$/, "");
}

// summary is the line of a report that has the counts, else its first.
export function summary(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const counts = lines.find((line) => /: (\d+ findings?|nothing)\b/.test(line));
  return (counts ?? lines.find((line) => line !== "") ?? "it ended").split(";")[0] ?? "";
}
