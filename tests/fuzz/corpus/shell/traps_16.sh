[[ a -nt b ]]; [ a -nt b ] && Z1; [ x ]
[[ x ]] > f && Z1
[[a == b]] || Z1
Z1 @(a|b) ; Z2
shopt -s extglob
Z1 !(a|b) *(x) ?(y) +(z)
Z2
shopt -s extglob; Z1 @(a)