// What .ci/vsix makes of the archives of a release, with scripts as programs.
const assert = require("node:assert");
const { execFileSync, spawnSync } = require("node:child_process");
const { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } = require("node:fs");
const { tmpdir } = require("node:os");
const path = require("node:path");
const { test } = require("node:test");

const vsix = path.join(__dirname, "..", "..", "..", ".ci", "vsix");
const skip = process.platform !== "linux" && "releases are made on Linux";

// archive makes an archive of a program as .ci/archives does.
function archive(dist, name) {
  const folder = path.join(dist, name);
  const program = path.join(folder, name.includes("windows") ? "rlvet.exe" : "rlvet");
  mkdirSync(folder);
  writeFileSync(program, `#!/bin/sh\necho "${name}"\n`);
  chmodSync(program, 0o755);
  writeFileSync(path.join(folder, "LICENSE"), "as is");
  if (name.includes("windows")) {
    execFileSync("python3", ["-m", "zipfile", "-c", `${name}.zip`, name], { cwd: dist });
  } else {
    execFileSync("tar", ["-czf", `${name}.tar.gz`, name], { cwd: dist });
  }
  rmSync(folder, { recursive: true });
}

// within runs a test with a folder of its own.
const within = (test) => () => {
  const folder = mkdtempSync(path.join(tmpdir(), "rlvet-vsix-"));
  try {
    test(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

test("each platform has a package with its program, and all others one without", { skip }, within((folder) => {
  const dist = path.join(folder, "dist");
  mkdirSync(dist);
  const platforms = ["linux-x86_64", "macos-arm64", "windows-x86_64"];
  platforms.forEach((platform) => archive(dist, `rlvet-1.2.3.dev0-${platform}`));
  writeFileSync(path.join(dist, "rlvet-1.2.3.dev0.tar.gz"), "the sdist, which is none");
  execFileSync(vsix, [dist], { stdio: "pipe" });

  const wanted = { "alpine-x64": platforms[0], "darwin-arm64": platforms[1], "linux-x64": platforms[0], "win32-x64": platforms[2] };
  const names = [...Object.keys(wanted).map((target) => `rlvet-${target}-1.2.3.vsix`), "rlvet-1.2.3.vsix"].sort();
  assert.deepEqual(readdirSync(dist).filter((name) => name.endsWith(".vsix")).sort(), names);
  const sums = readFileSync(path.join(dist, "SHA256SUMS"), "utf8");
  for (const name of names) {
    assert.match(sums, new RegExp(` ${name.replaceAll(".", "\\.")}$`, "m"));
  }
  for (const [target, platform] of [...Object.entries(wanted), [undefined, undefined]]) {
    const at = path.join(folder, target ?? "plain");
    execFileSync("unzip", ["-q", path.join(dist, target ? `rlvet-${target}-1.2.3.vsix` : "rlvet-1.2.3.vsix"), "-d", at]);
    const manifest = readFileSync(path.join(at, "extension.vsixmanifest"), "utf8");
    assert.equal(/TargetPlatform="([^"]*)"/.exec(manifest)?.[1], target);
    assert.match(manifest, / Version="1\.2\.3"/);
    assert.equal(JSON.parse(readFileSync(path.join(at, "extension", "package.json"), "utf8")).version, "1.2.3");
    const notices = readFileSync(path.join(at, "extension", "THIRD_PARTY_LICENSES"), "utf8");
    assert.match(notices, /^vscode-languageclient /m);
    assert.equal(notices.includes("tree-sitter"), target !== undefined);
    const bundled = path.join(at, "extension", "bundled");
    assert.equal(existsSync(bundled), target !== undefined);
    if (target) {
      const program = path.join(bundled, target === "win32-x64" ? "rlvet.exe" : "rlvet");
      assert.equal(readFileSync(program, "utf8"), `#!/bin/sh\necho "rlvet-1.2.3.dev0-${platform}"\n`);
      if (target !== "win32-x64") {
        assert.equal(statSync(program).mode & 0o777, 0o755);
      }
    }
  }
}));

test("what cannot be packaged is said", { skip }, within((folder) => {
  const said = () => {
    const { status, stderr } = spawnSync(vsix, [folder], { encoding: "utf8" });
    return `${status}: ${stderr.replaceAll(folder, "~")}`;
  };
  assert.equal(said(), "2: error: there is no archive in ~\n");
  archive(folder, "rlvet-1.2.3rc1-linux-x86_64");
  assert.equal(said(), "2: error: rlvet-1.2.3rc1-linux-x86_64.tar.gz: an extension cannot have the version 1.2.3rc1\n");
  rmSync(path.join(folder, "rlvet-1.2.3rc1-linux-x86_64.tar.gz"));
  archive(folder, "rlvet-1.2.3-plan9-mips");
  assert.equal(said(), "2: error: rlvet-1.2.3-plan9-mips.tar.gz is of a platform without a name; name it in .ci/vsix\n");
}));
