package l
import rego.v2
p if { 1 == 1 or { x := 2; x > 3 } and not (false or true) }
q if not { false }
r if ((1 < 2) or (2 in [2])) with input as 3
