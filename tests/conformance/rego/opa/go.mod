module belay/conformance-opa

go 1.26.0

require github.com/open-policy-agent/opa v1.22.3

require go.yaml.in/yaml/v3 v3.0.6 // indirect
