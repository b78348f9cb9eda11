a=1 b+=2 c[0]=x d[$(Z1)]=y Z2 e=3
a=(x "y z" [3]=w [k]+=v $(Z1)) ; Z2
a=(
 x # N1
 y
) Z1
a+=(b); declare -A m=([x]=$(Z1) [y z]=2); export p=(q); Z2
1a=b; a-b=c; "a"=b; a$x=b; Z1
a[1 + 2]=x; a[ $(Z1) ]=y