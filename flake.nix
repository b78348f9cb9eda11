# SPDX-License-Identifier: Apache-2.0
# nix run .# -- init      nix build      nix develop
{
  description = "Hook and policy engine for AI coding agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-24.05";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      version = builtins.head
        (builtins.match ".*\n  version: '([0-9.]+)'.*" (builtins.readFile ./meson.build));
    in
    {
      packages = each (pkgs: rec {
        belay = pkgs.stdenv.mkDerivation {
          pname = "belay";
          inherit version;
          src = self;
          nativeBuildInputs = with pkgs; [ meson ninja pkg-config scdoc python3 ];
          # glibc.static: belay itself links nothing at run time
          buildInputs = with pkgs; [ curl libmicrohttpd libyaml openssl pcre2 zlib glibc.static ];
          BELAY_COMMIT = self.rev or "unknown";
          mesonFlags = [ "-Dstatic_libc=glibc" "-Dman=enabled" "-Dtests=false" "-Dlibexecdir=libexec" ];
          # requests load libcurl by its name
          postFixup = ''
            patchelf --add-rpath ${pkgs.lib.makeLibraryPath [ pkgs.curl ]} \
              $out/libexec/belay/belay-tools
          '';
          meta = {
            description = "Hook and policy engine for AI coding agents";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "belay";
            platforms = systems;
          };
        };
        default = belay;
      });

      devShells = each (pkgs: {
        default = pkgs.mkShell { inputsFrom = [ self.packages.${pkgs.system}.belay ]; };
      });
    };
}
