# Made by .ci/packages of the release's checksums; for the tap rlvet/homebrew-tap, as Formula/rlvet.rb.
class Rlvet < Formula
  desc "Static checker for reinforcement-learning code in PyTorch"
  homepage "https://github.com/rlvet/rlvet"
  version "VERSION"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/rlvet/rlvet/releases/download/vVERSION/rlvet-VERSION-macos-arm64.tar.gz"
      sha256 "SUM(macos-arm64)"
    end
    on_intel do
      url "https://github.com/rlvet/rlvet/releases/download/vVERSION/rlvet-VERSION-macos-x86_64.tar.gz"
      sha256 "SUM(macos-x86_64)"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/rlvet/rlvet/releases/download/vVERSION/rlvet-VERSION-linux-arm64.tar.gz"
      sha256 "SUM(linux-arm64)"
    end
    on_intel do
      url "https://github.com/rlvet/rlvet/releases/download/vVERSION/rlvet-VERSION-linux-x86_64.tar.gz"
      sha256 "SUM(linux-x86_64)"
    end
  end

  def install
    bin.install "rlvet"
    generate_completions_from_executable(bin/"rlvet", "completion")
    system bin/"rlvet", "man", "--dir", man1
  end

  test do
    assert_match "rlvet #{version}", shell_output("#{bin}/rlvet --version")
    (testpath/"train.py").write <<~PYTHON
      import torch


      def normalise(rewards: torch.Tensor):
          return (rewards - rewards.mean()) / rewards.std()
    PYTHON
    assert_match "ADV009", shell_output("#{bin}/rlvet check train.py", 1)
  end
end
