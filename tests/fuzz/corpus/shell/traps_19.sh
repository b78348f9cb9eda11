case x
in

# N1
a|b) ;; esac; Z1
{ Z1; } 2>&1 | Z2; {Z9x; }
! Z1 | Z2; ! ! Z3; !
time -p Z1 | Z2; time; time -- Z3; ! time Z4; time ! Z5
coproc Z1 a; coproc N { Z2; }; coproc X (Z3)
coproc Z1 { Z9x