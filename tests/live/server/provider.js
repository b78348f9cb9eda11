// SPDX-License-Identifier: Apache-2.0
// provider.js PACKAGES ALGORITHM REDIRECT: npm's oidc-provider, for with-provider: one client, "belay", whose ID tokens are
// signed with ALGORITHM; any name signs in; NAME's address is NAME@example.com.  Prints its issuer.
const { generateKeyPairSync } = require("node:crypto");
const http = require("node:http");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const [packages, algorithm, redirect] = process.argv.slice(2);
const kinds = { RS256: ["rsa", { modulusLength: 2048 }], ES256: ["ec", { namedCurve: "P-256" }], EdDSA: ["ed25519", {}] };

async function start() {
  const { Provider } = await import(pathToFileURL(path.join(packages, "oidc-provider/lib/index.js")));
  const key = generateKeyPairSync(...kinds[algorithm]).privateKey.export({ format: "jwk" });
  const server = http.createServer().listen(0, "127.0.0.1", () => {
    const issuer = `http://127.0.0.1:${server.address().port}`;
    const provider = new Provider(issuer, {
      clients: [{ client_id: "belay", client_secret: "s3cret&x", redirect_uris: [redirect], response_types: ["code"], grant_types: ["authorization_code"],
        token_endpoint_auth_method: "client_secret_post", id_token_signed_response_alg: algorithm }],
      jwks: { keys: [{ ...key, kid: "test", use: "sig", alg: algorithm }] },
      cookies: { keys: ["a test has no secrets"] },
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      enabledJWA: { idTokenSigningAlgValues: Object.keys(kinds) },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, name: id }) }),
    });
    server.on("request", provider.callback());
    console.log(issuer);
  });
}

start();
