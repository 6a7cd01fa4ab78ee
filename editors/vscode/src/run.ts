// Runs of the user's script by `rlvet confirm` and `rlvet hunt`.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { CancellationToken, OutputChannel, ProgressLocation, TextDocument, Uri, window, workspace } from "vscode";

import { ask } from "./arguments";
import { expand } from "./binary";
import { current } from "./current";
import { Pages } from "./page";
import { Server } from "./server";
import { Trouble } from "./trouble";

// A way to run: its title, what it is asked for with a folder for its page, and that page.
interface Way {
  verb: "confirm" | "hunt";
  title: string;
  flags: (folder: string) => string[];
  page: string;
}

export const confirming: Way = { verb: "confirm", title: "Confirm this file by running it", flags: (folder) => ["--html", path.join(folder, "confirm.html")], page: "confirm.html" };
export const hunting: Way = { verb: "hunt", title: "Hunt for NaN in this file by running it", flags: (folder) => ["--report", folder], page: "postmortem.html" };

export async function run(way: Way, server: Server, pages: Pages, log: OutputChannel): Promise<void> {
  if (!workspace.isTrusted) {
    throw new Trouble("the script runs only in a workspace that you trust");
  }
  const program = server.binary?.path;
  if (program === undefined) {
    throw server.absent();
  }
  const document = await onDisk(current());
  if (document?.languageId !== "python" || document.uri.scheme !== "file") {
    throw new Trouble(document?.isUntitled ? `only a saved script runs; save it to ${way.verb} it` : `open the Python script to ${way.verb} first`);
  }
  const args = await ask(document.uri, way.title);
  if (args === undefined || !(await saved(document))) {
    return;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "rlvet-"));
  try {
    const words = [way.verb, path.basename(document.fileName), ...way.flags(folder), ...python(server), "--", ...args];
    const ended = await watch(program, words, document, log);
    if (ended.cancelled) {
      return;
    }
    const page = path.join(folder, way.page);
    if (statSync(page, { throwIfNoEntry: false })?.size) {
      pages.keep(document.uri, readFileSync(page, "utf8"));
      pages.open(document.uri);
    }
    await say(way, ended, log);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// onDisk has a new text saved, for which the editor asks where. It is the same where the user
// went back.
async function onDisk(document: TextDocument | undefined): Promise<TextDocument | undefined> {
  if (document?.languageId !== "python" || !document.isUntitled) {
    return document;
  }
  const file = await workspace.save(document.uri);
  return file ? workspace.openTextDocument(file) : document;
}

async function saved(document: TextDocument): Promise<boolean> {
  return !document.isDirty || document.save();
}

function python(server: Server): string[] {
  const given = expand(workspace.getConfiguration("rlvet").get<string>("python", "")) || server.interpreter?.path;
  return given ? ["--python", given] : [];
}

interface Ended {
  code: number | null;
  output: string;
  errors: string;
  cancelled: boolean;
}

// watch runs the program with its output in the log, until it ends or the user cancels.
function watch(program: string, words: string[], document: TextDocument, log: OutputChannel): Thenable<Ended> {
  const title = `rlvet ${words[0]} ${path.basename(document.fileName)}`;
  return window.withProgress({ location: ProgressLocation.Notification, title, cancellable: true }, (progress, token) => {
    log.appendLine(`$ ${[program, ...words].join(" ")}`);
    progress.report({ message: "running the script under five seeds" });
    return ended(program, words, path.dirname(document.fileName), log, token);
  });
}

function ended(program: string, words: string[], cwd: string, log: OutputChannel, token: CancellationToken): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { cwd, windowsHide: true, stdio: ["ignore", "pipe", "pipe"] });
    const result: Ended = { code: null, output: "", errors: "", cancelled: false };
    token.onCancellationRequested(() => {
      result.cancelled = true;
      child.kill("SIGINT"); // at which it ends the scripts that it started
    });
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

// say tells in a line what came of it.
async function say(way: Way, { code, output, errors }: Ended, log: OutputChannel): Promise<void> {
  let chosen: string | undefined;
  if (code === 0 || code === 1) {
    chosen = await window.showInformationMessage(`rlvet ${way.verb}: ${summary(output)}`, show);
  } else {
    const lines = errors.trim().split("\n");
    chosen = await window.showErrorMessage(`rlvet ${way.verb}: ${lines[lines.length - 1]?.replace(/^(rlvet|error): /, "") || "it failed"}`, show);
  }
  if (chosen === show) {
    log.show(true);
  }
}

// summary is the line of a report that has the counts, else its first.
export function summary(output: string): string {
  const lines = output.split("\n").map((line) => line.trim());
  const counts = lines.find((line) => /: (\d+ findings?|nothing)\b/.test(line));
  return (counts ?? lines.find((line) => line !== "") ?? "it ended").split(";")[0] ?? "";
}
