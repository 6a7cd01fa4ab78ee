// Checks every .py file below a folder with ruff's default rules, in one process.
const fs = require("fs");
const path = require("path");
const [tree, ruffFolder] = process.argv.slice(2);
const { Workspace, PositionEncoding } = require(ruffFolder);

const workspace = new Workspace(Workspace.defaultSettings(), PositionEncoding.Utf16);
for (const entry of fs.readdirSync(tree, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !entry.name.endsWith(".py")) continue;
  const text = fs.readFileSync(path.join(entry.parentPath ?? entry.path, entry.name), "utf8");
  try {
    workspace.check(text);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error; // the module is broken now
  }
}
