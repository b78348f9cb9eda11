Z1 <path> b
Z1 | Z2 | Z3 -n
Z4 b && Z5
Z1 a


  # N1

| Z2
Z1 "$(Z2)"'$(N1)'$(Z3)`Z4`