// Tasks of type rlvet: `rlvet check` in a terminal.
import { ProcessExecution, Task, TaskDefinition, TaskProvider, TaskScope, workspace } from "vscode";

import { Server } from "./server";

interface Definition extends TaskDefinition {
  args?: string[];
}

export class Tasks implements TaskProvider {
  constructor(private readonly server: Server) {}

  // A task for each folder. They match no problems: the server shows those already.
  provideTasks(): Task[] {
    return (workspace.workspaceFolders ?? []).flatMap((folder) => {
      const task = this.made({ type: "rlvet" }, folder);
      return task ? [task] : [];
    });
  }

  resolveTask(task: Task): Task | undefined {
    return this.made(task.definition as Definition, task.scope ?? TaskScope.Workspace);
  }

  private made(definition: Definition, scope: Task["scope"] & {}): Task | undefined {
    const program = this.server.binary?.path;
    return program === undefined ? undefined : new Task(definition, scope, "check", "rlvet", new ProcessExecution(program, ["check", ...(definition.args ?? ["."])]));
  }
}
