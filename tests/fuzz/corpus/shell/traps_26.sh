${x:-Z9x} a; $x b; "$@"
~/bin/Z9 a; ./Z8 b; */Z7 c
Z1 ${x y} ; Z2
Z1 $; Z2 $ a "$"; Z3 a$
Z1 *(.) ; Z2
Z1 $+x a^b ; Z2