// The client of `rlvet server`: what it listens to, and what it does itself of what the
// server would do for an editor that can less.
import { CancellationToken, commands, OutputChannel, workspace } from "vscode";
import { ConfigurationParams, ExecuteCommandSignature, LanguageClient, LanguageClientOptions, StaticFeature } from "vscode-languageclient/node";

import { remembered } from "./arguments";
import { expand } from "./binary";
import { documents } from "./languages";
import { Interpreter } from "./python";

// Evidence is the page of a run, which the server sends when it ends.
export interface Evidence {
  uri: string;
  html: string;
}

export function create(program: string, log: OutputChannel, interpreter: () => Interpreter | undefined): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: documents,
    outputChannel: log,
    synchronize: { configurationSection: "rlvet" },
    middleware: {
      workspace: {
        configuration: async (params: ConfigurationParams, token: CancellationToken, next) => {
          const sections = await next(params, token);
          return Array.isArray(sections) ? sections.map((section, i) => (params.items[i]?.section === "rlvet" ? settings(section, interpreter()) : section)) : sections;
        },
      },
      executeCommand: intercept,
      provideCodeLenses: async (document, token, next) => (workspace.isTrusted ? next(document, token) : []),
      provideCodeActions: async (document, range, context, token, next) => {
        const actions = (await next(document, range, context, token)) ?? [];
        return workspace.isTrusted ? actions : actions.filter((action) => action.command === undefined || commandOf(action.command) !== confirm);
      },
    },
  };
  const client = new LanguageClient("rlvet", "rlvet", { command: program, args: ["server"] }, options);
  client.registerFeature(showsEvidence);
  return client;
}

const confirm = "rlvet.confirm";
const commandOf = (command: string | { command: string }): string => (typeof command === "string" ? command : command.command);

// settings returns what the user set, since a default is the file's or the program's to
// say, and the interpreter by which the server runs scripts.
function settings(section: unknown, interpreter: Interpreter | undefined): Record<string, unknown> {
  const configuration = workspace.getConfiguration("rlvet");
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(Object(section) as object)) {
    const set = configuration.inspect(key);
    if ([set?.globalValue, set?.workspaceValue, set?.workspaceFolderValue].some((own) => own !== undefined)) {
      out[key] = value;
    }
  }
  const python = expand(String(out.python ?? "")) || interpreter?.path;
  return { ...out, python: python ?? null };
}

// intercept shows the page of a rule in the editor, where the server would open a browser,
// and has a script run as it is saved, with the arguments that the user gave it last.
async function intercept(command: string, args: unknown[], next: ExecuteCommandSignature): Promise<unknown> {
  if (command === "rlvet.explain") {
    return commands.executeCommand("rlvet.explainRule", args[0]);
  }
  if (command === confirm) {
    const document = workspace.textDocuments.find((open) => open.uri.toString() === String(args[0]));
    await document?.save();
    return next(command, [...args, ...remembered(String(args[0]))]);
  }
  return next(command, args);
}

// showsEvidence tells the server to send the page of a run.
const showsEvidence: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), rlvetEvidence: true };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};
