package r
p := q
q := r
r := p
s := data.r[_]
f(x) := f(x)
u if x
