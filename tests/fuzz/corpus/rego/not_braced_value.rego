package a
import future.keywords.not
allow if not {, z[_] == 11}
b if not {"a": 1}["a"] == 1
