Z1 <<E
E 
N1
E
Z2
Z1 <<E"O"F
$(N1)
EOF
Z2
Z1 <<"A B"
N1
A B
Z2
Z1 <<''
N1

Z2
Z1 <<$X
$(Z2)
$X
Z3
Z1 <<$(a b)
N1
$(a b)
Z2