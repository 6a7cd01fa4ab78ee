// Packages the extension: npm run package [-- --binary rlvet --target linux-x64]. With a
// binary the package is for one platform, by the names of vsce, and brings the program.
// --version is that of a release, where it is not the one of package.json.
const { execFileSync } = require("node:child_process");
const { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } = require("node:fs");
const path = require("node:path");
const { parseArgs } = require("node:util");

const root = path.join(__dirname, "..");
const repository = path.join(root, "..", "..");
const { binary, target, version, out } = parseArgs({
  options: { binary: { type: "string" }, target: { type: "string" }, version: { type: "string" }, out: { type: "string" } },
}).values;
if ((binary === undefined) !== (target === undefined)) {
  console.error("package: give both --binary and --target, as in --binary ./rlvet --target linux-x64, or neither");
  process.exit(2);
}

// notices returns the licenses of what is in the package and not of rlvet: what esbuild
// took out of node_modules, and with the program what is linked into it.
function notices() {
  const { inputs } = JSON.parse(readFileSync(path.join(root, "dist", "meta.json"), "utf8"));
  const folders = new Set(Object.keys(inputs).map((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0]));
  folders.delete(undefined);
  const texts = [...folders].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
    const license = readdirSync(path.join(root, folder)).find((file) => /^licen[sc]e/i.test(file));
    if (license === undefined) {
      throw new Error(`package: ${name} has no license, and is part of the extension`);
    }
    return `${name} ${version}\n\n${readFileSync(path.join(root, folder, license), "utf8").trim()}\n`;
  });
  texts.sort();
  if (binary !== undefined) {
    texts.push(readFileSync(path.join(repository, "THIRD_PARTY_LICENSES"), "utf8"));
  }
  return texts.join(`\n${"=".repeat(80)}\n\n`);
}

const node = (...args) => execFileSync(process.execPath, args, { cwd: root, stdio: "inherit" });
const bundled = path.join(root, "bundled");
rmSync(bundled, { recursive: true, force: true });
copyFileSync(path.join(repository, "LICENSE"), path.join(root, "LICENSE"));
if (binary !== undefined) {
  const program = path.join(bundled, target.startsWith("win32") ? "rlvet.exe" : "rlvet");
  mkdirSync(bundled);
  copyFileSync(path.resolve(process.env.INIT_CWD ?? ".", binary), program);
  chmodSync(program, 0o755);
}
const name = out ?? (target === undefined ? "rlvet.vsix" : `rlvet-${target}.vsix`);
try {
  execFileSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  writeFileSync(path.join(root, "THIRD_PARTY_LICENSES"), notices());
  node(
    require.resolve("@vscode/vsce/vsce"), "package", "--no-dependencies", "--out", name,
    ...(target === undefined ? [] : ["--target", target]),
    ...(version === undefined ? [] : [version, "--no-update-package-json"]),
  );
} finally {
  rmSync(bundled, { recursive: true, force: true });
}
