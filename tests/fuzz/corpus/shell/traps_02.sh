Z1 <<E
N1 \
E
N2
E
Z2
Z1 <<'E'
N1 \
E
Z2
Z1 "$(Z2 <<E
N1 " ) ' `
E
)" Z9x
Z3
Z1 $(Z2 <<E
N1
E
) && Z3
Z1 $(Z2 <<E
N1
E)
Z3
Z1 <<E
N1 ${x:-$(Z2 "a b")} `Z3`
E
