( Z1 <<E )
N1
E
Z2
Z1 <<\E
$(N1)
E
Z2
Z1 <<$'E'
$(N1)
E
Z2
((Z1 <<E
N1
E
) | Z2)
Z1 <<E
`Z2`
$(Z3)
${x:-`Z4`}
E

Z1 <<E1 | Z2 <<E2 && Z3
N1
E1
N2
E2
Z4