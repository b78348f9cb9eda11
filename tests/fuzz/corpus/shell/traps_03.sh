Z1 <<E
N1 "$(Z2)" '$(Z3)' \$(N2)
E

Z1 <<E
N1 $((1<<2)) $[1<<2]
E
Z2
Z1 <<E
N1
Z1 <<A <<B
N1
A
N2
B
Z2
Z1 3<<E 4<<F <&3
N1
E
N2
F
Z2
if Z1 <<E; then
N1
E
Z2; fi