a=~/x:~/y b=~ Z1 c=~ ~/z --d=~
Z1 a#b #N1
#N2
Z2
Z1 $# ${#x} ${x#y} $((2#1)) a# ;# N1
Z2
Z1 # N1 \
Z2
Z1 \
Z2
Z1 a
Z2
