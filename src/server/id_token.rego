# Is an ID token good?  OpenID Connect Core 3.1.3.7, stricter where it leaves a choice.  The claims, or nothing.
package belay.server.id_token

import rego.v1

# Never "none", and no secret that the client shares.
algorithms := {"RS256", "ES256", "EdDSA"}

claims := payload if {
	count(input.token) <= 16384
	header := io.jwt.decode(input.token)[0]
	header.alg in algorithms
	not header.crit
	[is_good, _, payload] := io.jwt.decode_verify(input.token, {
		"cert": input.keys,
		"alg": header.alg,
		"iss": input.issuer,
		"aud": input.client,
		"time": input.now * 1000000000,
	})
	is_good
	is_for_us(payload)
	payload.exp > input.now
	payload.iat <= input.now + 60
	payload.iat >= input.now - 600
	payload.nonce == input.nonce
	is_string(payload.sub)
	count(payload.sub) in numbers.range(1, 255)
}

is_for_us(payload) if payload.aud == input.client

is_for_us(payload) if payload.aud == [input.client]

is_for_us(payload) if {
	count(payload.aud) > 1
	input.client in payload.aud
	payload.azp == input.client
}
