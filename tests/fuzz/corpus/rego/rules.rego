package a.b["c d"]
import data.x.y as z
import input.req
import future.keywords.not
default allow := false
allow if { req.user == "bob"; not { z[_] == 1 } }
allow if req.n > 1 else := 2 if { true } else := 3
s contains x if some x in [1, 2, {"a": 3}]
o[k] := v if some k, v in {"a": 1}
o2[k].r[j] := v if { some k in [1]; j := k; v := -1 }
f(x, [y, {"k": v}]) := [x, y, v] if x > 1
g := f(2, [3, {"k": 4}])
h if every k, v in {1, 2} { v > 0; k }
t := $"a {1 + 1} \{ {g}"
c := [x | x := numbers.range(1, 5)[_]; x % 2 == 0]
d := {x: y | some x, y in {"q": 1.5e3}}
e := {x | x := `raw`} | {"\u00e9\n"} & set()
w := g with input as {"a": 1} with data.x as 3 with f as 4
n := -g
