for i in 1; do Z1 <<E; done
N1
E
Z2
case x in x) Z1 <<E ;; esac
N1
E
Z2
f() { Z1; } <<E
$(Z2)
E
f
Z1 <<< N1 Z9x
Z2
Z1 <<E; Z2 # <<F
N1
E
Z3
Z1 <<"E
F"
N1
E
F
Z2