while Z1; do Z2; done < f > g; until Z3
do Z4
done
Z1 ||

# N1
 Z2 |
 Z3 &&

 Z4
time Z1 | Z2
f() ( Z1 ); g() [[ x ]]; h() if Z2; then Z3; fi; i() ((1))
f()

{ Z1; } > out 2>&1; f
a.b-c:d/e() { Z1; }; +() { Z2; }; function 1 { Z3; }