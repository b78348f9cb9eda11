case a in @(a|b)) Z1;; esac
Z1 [a-z]* {a,b}$x a{1..3}b {a,b ; Z2
Z1 {a,b}{c,$(Z2)} ${x,y}
Z1 if then fi do done { } [[ ! time ; Z2
if=1 Z1; "if" Z9x; \if Z9y
for for in in do; do Z1; done