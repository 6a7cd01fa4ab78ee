// Tries the extension in code-server, which is Visual Studio Code in a browser, and takes
// pictures. Not part of npm test: it takes minutes, and a code-server of its own.
//
//   CODE_SERVER  the entry.js of code-server 4.100 (npm: code-server)
//   PLAYWRIGHT   the folder of playwright-core (npm)
//   CHROMIUM     a browser; /usr/bin/chromium
//   RLVET        the program; rlvet on the PATH
//   PYTHON       a Python with torch; /usr/bin/python3
//
// Pictures go to the folder screens; names of scenes as arguments take those only.
const assert = require("node:assert");
const { execFileSync, spawn } = require("node:child_process");
const { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const path = require("node:path");
const { setTimeout: sleep } = require("node:timers/promises");

const env = { CODE_SERVER: "", PLAYWRIGHT: "playwright-core", CHROMIUM: "/usr/bin/chromium", RLVET: "", PYTHON: "/usr/bin/python3", ...process.env };
if (env.CODE_SERVER === "") {
  console.log("SKIPPED: CODE_SERVER names no code-server: the extension is NOT tried in Visual Studio Code");
  process.exit(0);
}
const { chromium } = require(env.PLAYWRIGHT);
const root = path.join(__dirname, "..");
const pictures = path.join(root, "screens");
const port = 8900 + (process.pid % 90);

// A host is one code-server with one window on a project of its own.
class Host {
  constructor(settings, { path: search = process.env.PATH, python = true, program = true, vsix = "rlvet.vsix" } = {}) {
    this.folder = mkdtempSync(path.join(tmpdir(), "screens-"));
    this.project = path.join(this.folder, "line-walker");
    const data = path.join(this.folder, "data");
    const extensions = path.join(this.folder, "extensions");
    mkdirSync(path.join(data, "User"), { recursive: true });
    mkdirSync(path.join(this.project, ".git"), { recursive: true }); // ends the search for settings above
    copyFileSync(path.join(root, "test", "ppo.py"), path.join(this.project, "ppo.py"));
    writeFileSync(path.join(data, "User", "settings.json"), JSON.stringify({ ...plain, ...settings }));
    if (python) {
      this.pythonExtension(path.join(this.folder, "python"), program);
    }
    const common = ["--user-data-dir", data, "--extensions-dir", extensions];
    const packages = [path.join(root, vsix), ...(python ? [path.join(this.folder, "python", "python.vsix")] : [])];
    execFileSync(process.execPath, [env.CODE_SERVER, ...common, ...packages.flatMap((file) => ["--install-extension", file])], { stdio: "ignore" });
    this.server = spawn(
      process.execPath,
      [env.CODE_SERVER, ...common, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"],
      { stdio: "ignore", env: { ...process.env, PATH: search, XDG_CONFIG_HOME: this.folder } },
    );
  }

  // pythonExtension stands in for Microsoft's, of which it has the part that rlvet asks:
  // an environment with a python, and an rlvet beside it.
  pythonExtension(at, program) {
    const bin = path.join(this.folder, "env", "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(path.join(bin, "python"), `#!/bin/sh\nexec ${env.PYTHON} "$@"\n`);
    chmodSync(path.join(bin, "python"), 0o755);
    if (program) {
      copyFileSync(env.RLVET || execFileSync("which", ["rlvet"], { encoding: "utf8" }).trim(), path.join(bin, "rlvet"));
    }
    mkdirSync(at, { recursive: true });
    writeFileSync(path.join(at, "package.json"), JSON.stringify({ name: "python", publisher: "ms-python", version: "2025.0.0", engines: { vscode: "^1.91.0" }, main: "main.js", activationEvents: ["onLanguage:python"], repository: "https://example.org" }));
    writeFileSync(path.join(at, "LICENSE"), "none");
    writeFileSync(path.join(at, "README.md"), "Stands in for the Python extension.");
    writeFileSync(
      path.join(at, "main.js"),
      `const vscode = require("vscode");
const python = ${JSON.stringify(path.join(bin, "python"))};
exports.activate = () => ({ environments: {
  getActiveEnvironmentPath: () => ({ id: python, path: python }),
  resolveEnvironment: async () => ({ executable: { uri: vscode.Uri.file(python) } }),
  onDidChangeActiveEnvironmentPath: () => new vscode.Disposable(() => undefined),
} });`,
    );
    execFileSync(process.execPath, [require.resolve("@vscode/vsce/vsce"), "package", "--no-dependencies", "--out", "python.vsix"], { cwd: at, stdio: "ignore" });
  }

  async open(browser, file = "ppo.py") {
    const url = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(this.project)}`;
    for (let tries = 0; ; tries++) {
      const up = await fetch(url).then((r) => r.ok, () => false);
      if (up) break;
      assert.ok(tries < 120, "code-server does not answer");
      await sleep(500);
    }
    this.page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
    await this.page.goto(url);
    await this.page.waitForSelector(".monaco-workbench .part.statusbar", { timeout: 60_000 });
    await this.dismiss();
    if (file) {
      await this.openFile(file);
    }
    return this.page;
  }

  async dismiss() {
    await sleep(1500);
    for (const button of await this.page.locator(".notification-toast .codicon-notifications-clear").all()) {
      await button.click().catch(() => undefined);
    }
  }

  async openFile(name) {
    await this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`).dblclick();
    await this.page.waitForSelector(`.tab[aria-label^="${name}"]`);
  }

  async command(title) {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input").fill(`>${title}`);
    await this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${title}"]`).first().waitFor();
    await this.page.keyboard.press("Enter");
  }

  async goto(line, column) {
    await this.page.keyboard.press("Control+KeyG");
    await this.page.locator(".quick-input-widget input").fill(`:${line}:${column}`);
    await sleep(300);
    await this.page.keyboard.press("Enter");
    await sleep(300);
  }

  ready() {
    return this.page.waitForSelector('.statusbar-item[id*="rlvet"] .codicon-warning, .statusbar-item[id*="rlvet"] .codicon-check', { timeout: 60_000 });
  }

  async shot(name, clip) {
    await sleep(700);
    await this.page.mouse.move(640, 799);
    await this.page.screenshot({ path: path.join(pictures, `${name}.png`), clip });
    console.log(`screens/${name}.png`);
  }

  async close() {
    await this.page?.screenshot({ path: path.join(pictures, "last.png") }).catch(() => undefined); // where a scene failed
    await this.page?.close().catch(() => undefined);
    this.server.kill();
    await sleep(500);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const plain = {
  "workbench.startupEditor": "none", "workbench.colorTheme": "Default Light Modern", "security.workspace.trust.enabled": false, "telemetry.telemetryLevel": "off",
  "workbench.tips.enabled": false, "editor.minimap.enabled": false, "window.commandCenter": false, "workbench.layoutControl.enabled": false, "chat.commandCenter.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden", "explorer.openEditors.visible": 0, "git.enabled": false, "editor.fontSize": 13, "breadcrumbs.enabled": false,
};

const scenes = {
  async finding(browser) {
    const host = new Host({});
    try {
      const page = await host.open(browser);
      await host.ready();
      await host.goto(48, 10);
      await page.waitForSelector(".squiggly-error");
      await page.waitForSelector(".codelens-decoration");
      await page.keyboard.press("Control+KeyB");
      await host.command("rlvet: Check workspace");
      await page.waitForSelector(".markers-panel .monaco-list-row");
      assert.match(await page.locator(".markers-panel").innerText(), /log-ratio used as the importance ratio/);
      await sleep(1500);
      await page.locator('.tab[aria-label^="ppo.py"]').click();
      await host.goto(48, 25);
      await host.shot("finding");
      await host.goto(48, 10);
      await page.keyboard.press("Control+KeyK");
      await page.keyboard.press("Control+KeyI");
      await page.waitForSelector(".monaco-hover-content");
      await host.shot("hover");
      await page.keyboard.press("Escape");
      await host.command("rlvet: Explain a rule");
      await page.waitForSelector('.tab[aria-label^="Preview"]');
      await sleep(3000);
      await host.shot("explain");
      await page.locator('.tab[aria-label^="Preview"]').click({ button: "middle" });
      await page.locator('.tab[aria-label^="ppo.py"]').click();
      await host.goto(48, 18);
      await page.keyboard.press("Control+Period");
      await page.waitForSelector(".action-widget");
      await host.shot("quickfix");
      await page.keyboard.press("Enter");
      await sleep(2500);
      await host.shot("fixed");
      await host.command("rlvet: Fix all in this file");
      await sleep(2500);
      await host.shot("fixed-all");
      await page.locator('.statusbar-item[id*="rlvet"]').first().click();
      await sleep(800);
      await host.shot("menu");
    } finally {
      await host.close();
    }
  },
  async confirm(browser) {
    for (const [theme, name] of [["Default Light Modern", "confirm"], ["Default Dark Modern", "confirm-dark"]]) {
      const host = new Host({ "workbench.colorTheme": theme });
      try {
        const page = await host.open(browser);
        await host.ready();
        await page.keyboard.press("Control+KeyB");
        await host.goto(48, 1);
        await host.command("rlvet: Confirm this file by running it");
        await sleep(1000);
        if (name === "confirm") await host.shot("arguments");
        await page.keyboard.press("Enter");
        await sleep(3000);
        if (name === "confirm") await host.shot("running");
        await page.waitForSelector('.tab[aria-label^="Evidence"]', { timeout: 240_000 });
        await page.waitForSelector('.codelens-decoration:has-text("OBJ001 confirmed in 5 of 5")');
        await sleep(3000);
        await host.shot(`${name}-said`);
        await host.dismiss();
        await host.shot(name); // docs/vscode.png and media/confirm.png
      } finally {
        await host.close();
      }
    }
  },
  async lens(browser) {
    const host = new Host({});
    try {
      const page = await host.open(browser);
      await host.ready();
      await page.keyboard.press("Control+KeyB");
      await host.goto(48, 1);
      await page.locator('.codelens-decoration a:has-text("OBJ001")').click();
      await page.waitForSelector('.notification-toast:has-text("Run it")');
      await host.shot("lens-asks");
      await page.getByText("Run it").first().click();
      await page.waitForSelector('.codelens-decoration:has-text("confirmed in 5 of 5")', { timeout: 240_000 });
      await page.waitForSelector('.tab[aria-label^="Evidence"]');
      await host.shot("lens-verdict");
    } finally {
      await host.close();
    }
  },
  async hunt(browser) {
    const host = new Host({});
    try {
      const page = await host.open(browser);
      await host.ready();
      await page.keyboard.press("Control+KeyB");
      await host.command("rlvet: Hunt for NaN in this file by running it");
      await sleep(1000);
      await page.keyboard.press("Enter");
      await page.waitForSelector('.tab[aria-label^="Evidence"]', { timeout: 400_000 });
      await sleep(3000);
      await host.shot("hunt");
    } finally {
      await host.close();
    }
  },
  async settings(browser) {
    const host = new Host({});
    try {
      const page = await host.open(browser);
      await host.ready();
      await host.command("Preferences: Open Settings (UI)");
      await page.waitForSelector(".settings-editor");
      await page.keyboard.type("@ext:rlvet.rlvet");
      await page.keyboard.press("Escape"); // what completes it
      await sleep(3000);
      await host.shot("settings");
      await host.command("Welcome: Open Walkthrough...");
      await sleep(1500);
      await page.locator(".quick-input-widget input").fill("Get started with rlvet");
      await sleep(1500);
      await page.keyboard.press("Enter");
      await sleep(4000);
      await host.shot("walkthrough");
    } finally {
      await host.close();
    }
  },
  async missing(browser) {
    const bin = path.dirname(process.execPath) === "/usr/bin" ? "/usr/bin:/bin" : `${path.dirname(process.execPath)}:/usr/bin:/bin`;
    const host = new Host({}, { path: bin, program: false });
    try {
      const page = await host.open(browser);
      await page.waitForSelector('.notification-toast:has-text("not installed")', { timeout: 60_000 });
      assert.ok(await page.locator('.notification-toast a:has-text("How to install")').count());
      await host.shot("missing");
      await page.locator('.statusbar-item[id*="rlvet"]').first().click();
      await sleep(800);
      await host.shot("missing-menu");
    } finally {
      await host.close();
    }
  },
  async bundled(browser) {
    const target = `${process.platform}-${process.arch}`;
    const vsix = `rlvet-${target}.vsix`;
    execFileSync(process.execPath, [path.join(__dirname, "package.js"), "--binary", env.RLVET, "--target", target], { stdio: "ignore" });
    const host = new Host({}, { program: false, vsix });
    try {
      const page = await host.open(browser);
      await host.ready();
      await page.locator('.statusbar-item[id*="rlvet"]').first().hover();
      await page.waitForSelector('.monaco-hover:has-text("from the extension")');
      await page.screenshot({ path: path.join(pictures, "bundled.png") });
      console.log("screens/bundled.png");
    } finally {
      await host.close();
      rmSync(path.join(root, vsix));
    }
  },
  async untrusted(browser) {
    const host = new Host({ "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never", "rlvet.path": env.RLVET || "rlvet" });
    try {
      const page = await host.open(browser);
      await host.ready();
      await host.goto(48, 10);
      await page.waitForSelector(".squiggly-error");
      assert.equal(await page.locator(".codelens-decoration").count(), 0);
      await host.shot("untrusted");
    } finally {
      await host.close();
    }
  },
};

async function main() {
  mkdirSync(pictures, { recursive: true });
  const wanted = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath: env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  let failed = 0;
  for (const [name, scene] of Object.entries(scenes)) {
    if (wanted.length > 0 && !wanted.includes(name)) {
      continue;
    }
    try {
      await scene(browser);
    } catch (error) {
      failed++;
      console.error(`${name}: ${error.stack}`);
    }
  }
  await browser.close();
  process.exitCode = failed > 0 ? 1 : 0;
}

void main();
