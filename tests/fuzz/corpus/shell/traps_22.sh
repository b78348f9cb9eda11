Z1 >&2 2>&$x >&"f" >& f
Z1 &>f & Z2 &
x=1 >f Z1; x=1 > f y=2 Z2
Z1 a && Z2 2>f; Z3 | Z4 >g
Z1 -exec Z9x {} \; 2>f | Z2
Z1 >f <<<"$x" ; Z2