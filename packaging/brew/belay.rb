# SPDX-License-Identifier: Apache-2.0
# Homebrew on Linux.  Made by packaging/formula, which puts the digests in.
class Belay < Formula
  desc "Hook and policy engine for AI coding agents"
  homepage "@RELEASES@"
  version "@VERSION@"
  license "Apache-2.0"

  depends_on :linux

  on_intel do
    url "@RELEASES@/belay-@VERSION@-linux-x86_64.tar.gz"
    sha256 "@SHA256_x86_64@"
  end
  on_arm do
    url "@RELEASES@/belay-@VERSION@-linux-aarch64.tar.gz"
    sha256 "@SHA256_aarch64@"
  end

  def install
    # the two programs find each other below one folder
    bin.install "bin/belay"
    (prefix/"libexec/belay").install "libexec/belay/belay-tools"
    man1.install Dir["share/man/man1/*"]
    bash_completion.install "share/bash-completion/completions/belay"
    fish_completion.install "share/fish/vendor_completions.d/belay.fish"
    zsh_completion.install "share/zsh/site-functions/_belay"
  end

  test do
    assert_match "belay #{version}", shell_output("#{bin}/belay --version")
    assert_match "refused", shell_output("#{bin}/belay check 'rm -rf ~' 2>&1", 2)
  end
end
