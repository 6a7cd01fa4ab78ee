// Packages the extension: npm run package [-- --binary rlvet --target linux-x64]. With a
// binary the package is for one platform, by the names of vsce, and brings the program.
const { execFileSync } = require("node:child_process");
const { chmodSync, copyFileSync, mkdirSync, rmSync } = require("node:fs");
const path = require("node:path");
const { parseArgs } = require("node:util");

const root = path.join(__dirname, "..");
const { binary, target, out } = parseArgs({ options: { binary: { type: "string" }, target: { type: "string" }, out: { type: "string" } } }).values;
if ((binary === undefined) !== (target === undefined)) {
  console.error("package: give both --binary and --target, as in --binary ./rlvet --target linux-x64, or neither");
  process.exit(2);
}

const node = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
const bundled = path.join(root, "bundled");
rmSync(bundled, { recursive: true, force: true });
copyFileSync(path.join(root, "..", "..", "LICENSE"), path.join(root, "LICENSE"));
if (binary !== undefined) {
  const program = path.join(bundled, target.startsWith("win32") ? "rlvet.exe" : "rlvet");
  mkdirSync(bundled);
  copyFileSync(path.resolve(process.env.INIT_CWD ?? ".", binary), program);
  chmodSync(program, 0o755);
}
const name = out ?? (target === undefined ? "rlvet.vsix" : `rlvet-${target}.vsix`);
try {
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  node(require.resolve("@vscode/vsce/vsce"), "package", "--no-dependencies", "--out", name, ...(target === undefined ? [] : ["--target", target]));
} finally {
  rmSync(bundled, { recursive: true, force: true });
}
