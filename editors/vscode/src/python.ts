// The interpreter that the user chose in the Python extension, if that is there.
import { Disposable, extensions, Uri, workspace } from "vscode";

export interface Interpreter {
  path: string; // of the executable
}

// The part of the Python extension's API that is used here:
// https://www.npmjs.com/package/@vscode/python-extension.
interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: Uri): { path: string };
    resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath(heard: () => unknown): Disposable;
  };
}

async function api(): Promise<PythonApi | undefined> {
  const extension = extensions.getExtension<PythonApi>("ms-python.python");
  try {
    const found = extension && (extension.isActive ? extension.exports : await extension.activate());
    return found?.environments ? found : undefined;
  } catch {
    return undefined; // it is broken, which it says itself
  }
}

// selected returns the interpreter of the workspace.
export async function selected(): Promise<Interpreter | undefined> {
  const environments = (await api())?.environments;
  if (!environments) {
    return undefined;
  }
  try {
    const active = environments.getActiveEnvironmentPath(workspace.workspaceFolders?.[0]?.uri);
    const executable = (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
    return executable ? { path: executable } : undefined;
  } catch {
    return undefined;
  }
}

// onChange calls back when the user chooses another interpreter.
export async function onChange(heard: () => unknown): Promise<Disposable> {
  return (await api())?.environments.onDidChangeActiveEnvironmentPath(heard) ?? new Disposable(() => undefined);
}
