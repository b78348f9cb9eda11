Z1 f <<E 2>&1 | Z2 -5
N1
E

Z1 $(case x in x) Z2;; esac) && Z3
Z1 $(case x in (x) Z2;; esac)
Z1 $(Z2 # N1 )
) && Z3
Z1 `Z2 \`Z3\``
Z1 "`Z2 \"a b\"`"