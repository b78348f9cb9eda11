Z1 <<A; Z2 <<B
N1 $(Z3)
A
N2
B
Z4
Z1 <<A && Z2 ||
N1
A
Z3
Z1 <<E > f | Z2
N1
E
Z1 <<'E'; Z2
N1 $(N2)
E
<<E Z1 x
N1
E
Z2
Z1 <<-E
	N1
		E
Z2