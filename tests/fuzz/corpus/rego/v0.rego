package old
p[x] { x := [1,2][_] } { x := 3 }
q = true { not p[5] }
f(a) = b { b := a * 2 }
r = 3 { false } else = 4 { true }
default k = {"a": [1, null, true]}
