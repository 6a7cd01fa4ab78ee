// The life of the server: one at a time, started, stopped and started again.
import { commands, ExtensionContext, OutputChannel, window } from "vscode";
import { LanguageClient, State } from "vscode-languageclient/node";

import { Binary, find } from "./binary";
import { create, Evidence } from "./client";
import { Interpreter, selected } from "./python";
import { Status } from "./status";
import { Absent, tell, reason, Trouble } from "./trouble";

export class Server {
  client: LanguageClient | undefined;
  binary: Binary | undefined;
  interpreter: Interpreter | undefined;
  onEvidence: (evidence: Evidence) => void = () => undefined;
  private warned = false;
  private why = "";

  constructor(
    private readonly context: ExtensionContext,
    private readonly log: OutputChannel,
    private readonly status: Status,
  ) {}

  // One after the other: a setting may change while the server starts.
  private last: Promise<void> = Promise.resolve();

  restart(): Promise<void> {
    this.last = this.last.then(() => this.stop()).then(() => this.start());
    return this.last;
  }

  end(): Promise<void> {
    this.last = this.last.then(() => this.stop());
    return this.last;
  }

  // chosen takes another interpreter: the program may come from it, and scripts run by it.
  async chosen(): Promise<void> {
    const before = this.interpreter?.path;
    if ((await selected())?.path !== before) {
      await this.restart();
    }
  }

  // absent says, to whoever needs it, why the program does not run.
  absent(): Absent {
    return new Absent(this.why);
  }

  private async start(): Promise<void> {
    this.status.starting();
    this.why = "the program is starting; try again in a moment";
    try {
      this.interpreter = await selected();
      this.binary = await find(this.context, this.interpreter);
      this.log.appendLine(`rlvet ${this.binary.version} at ${this.binary.path}, from ${this.binary.from}; scripts run by ${this.interpreter?.path ?? "the Python that rlvet finds"}`);
      const client = create(this.binary.path, this.log, () => this.interpreter);
      await client.start();
      client.onNotification("rlvet/evidence", (evidence: Evidence) => this.onEvidence(evidence));
      client.onDidChangeState((change) => {
        if (change.newState === State.Stopped && this.client === client) {
          this.status.failed("the server stopped");
        } else if (change.newState === State.Running && this.client === client && this.binary) {
          this.status.ready(this.binary);
        }
      });
      this.client = client;
      this.status.ready(this.binary);
      void commands.executeCommand("setContext", "rlvet.ready", true); // which steps the walkthrough has
      this.warn(this.binary);
    } catch (error) {
      const trouble = error instanceof Trouble ? error : new Error(`\`${this.binary?.path ?? "rlvet"} server\` cannot be started: ${reason(error)}`);
      this.log.appendLine(trouble.message);
      this.status.failed(trouble.message);
      this.why = reason(trouble);
      void commands.executeCommand("setContext", "rlvet.ready", false);
      // Not awaited: nobody has to answer it.
      void tell(trouble);
    }
  }

  private async stop(): Promise<void> {
    const running = this.client;
    this.client = this.binary = undefined;
    try {
      await running?.stop();
    } catch (error) {
      this.log.appendLine(`the server did not stop in order: ${reason(error)}`);
    }
  }

  private warn(binary: Binary): void {
    if (binary.newer && !this.warned) {
      this.warned = true;
      void window.showWarningMessage(`rlvet: ${binary.path} is rlvet ${binary.version}, newer than this extension (${this.context.extension.packageJSON.version}); update the extension`);
    }
  }
}
