if Z1
then Z2
fi

Z1   a
Z1	Z9xZ9y
Z1 \
alias Z9x=Z9y
Z9x
Z1 -- -x; -- Z9x