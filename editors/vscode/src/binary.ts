// Which program rlvet is started: that of the setting, else the one that came with the
// extension, else that of the Python environment, else the first on the PATH.
import { execFile } from "node:child_process";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import { ExtensionContext, workspace } from "vscode";

import { Interpreter } from "./python";
import { Absent } from "./trouble";

export interface Binary {
  path: string;
  version: string;
  from: string; // where it was found, as the user may read it
  newer: boolean; // than this extension knows
}

// The oldest program that has all that the extension asks of it, and the series that it
// was made with: before 1.0 the second number counts as the first does later.
const oldest = "0.1.0";
const windows = process.platform === "win32";
const name = windows ? "rlvet.exe" : "rlvet";

// find returns the program to start; it throws a Trouble that says what is wrong.
export async function find(context: ExtensionContext, interpreter: Interpreter | undefined): Promise<Binary> {
  const [at, from] = locate(context.extensionPath, interpreter);
  const version = await versionOf(at);
  if (compare(version, oldest) < 0) {
    throw new Absent(`${at} is rlvet ${version}; this extension needs ${oldest} or newer`);
  }
  return { path: at, version, from, newer: compare(series(version), series(context.extension.packageJSON.version)) > 0 };
}

function locate(extension: string, interpreter: Interpreter | undefined): [string, string] {
  const given = expand(workspace.getConfiguration("rlvet").get<string>("path", "").trim());
  if (given !== "") {
    const at = given.includes("/") || given.includes(path.sep) ? given : onPath(windows && !given.endsWith(".exe") ? `${given}.exe` : given);
    if (at === undefined || !isFile(at)) {
      throw new Absent(`the setting rlvet.path is ${given}, and there is no such program`);
    }
    return [at, "the setting rlvet.path"];
  }
  const bundled = path.join(extension, "bundled", name);
  if (isFile(bundled)) {
    return [bundled, "the extension"];
  }
  // A program of the workspace is only started where the user trusts the workspace.
  if (interpreter && workspace.isTrusted) {
    const beside = path.join(path.dirname(interpreter.path), name);
    const scripts = path.join(path.dirname(interpreter.path), "Scripts", name); // of a Python for all of Windows
    const at = [beside, scripts].find(isFile);
    if (at !== undefined) {
      return [at, `the environment of ${interpreter.path}`];
    }
  }
  const at = onPath(name);
  if (at === undefined) {
    throw new Absent(
      workspace.isTrusted
        ? "the program rlvet is not installed: neither the Python environment nor the PATH has it"
        : "the program rlvet is not on the PATH; that of a Python environment is started only in a workspace that you trust",
    );
  }
  return [at, "the PATH"];
}

function onPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, program)).find(isFile);
}

function isFile(at: string): boolean {
  return statSync(at, { throwIfNoEntry: false })?.isFile() ?? false;
}

// expand replaces what people write in paths of settings.
export function expand(text: string): string {
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return text
    .replace(/^~(?=$|[\\/])/, homedir())
    .replaceAll("${workspaceFolder}", folder)
    .replaceAll("${userHome}", homedir())
    .replace(/\$\{env:(\w+)\}/g, (_, variable: string) => process.env[variable] ?? "");
}

// versionOf asks a program, which is no rlvet where it does not answer as one.
function versionOf(at: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(at, ["version"], { timeout: 20_000, windowsHide: true }, (error, output) => {
      const version = /^rlvet (\d+\.\d+\.\d+\S*)/.exec(output)?.[1];
      if (version !== undefined) {
        resolve(version);
      } else {
        const why = error ? (error.message.split("\n")[0] ?? "") : `it says ${JSON.stringify(output.slice(0, 40))}`;
        reject(new Absent(`${at} does not answer as rlvet does: ${why}`));
      }
    });
  });
}

// numbers of a version; what follows a hyphen is passed over.
const numbers = (version: string): number[] => (/^[\d.]+/.exec(version)?.[0] ?? "").split(".").map(Number);

function compare(a: string, b: string): number {
  const [x, y] = [numbers(a), numbers(b)];
  const at = [0, 1, 2].find((i) => (x[i] ?? 0) !== (y[i] ?? 0));
  return at === undefined ? 0 : (x[at] ?? 0) - (y[at] ?? 0);
}

function series(version: string): string {
  const [major = 0, minor = 0] = numbers(version);
  return major > 0 ? `${major}.0.0` : `0.${minor}.0`;
}
