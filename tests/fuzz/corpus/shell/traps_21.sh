f() Z1
"f"() { Z1; }
rm() { Z1; }; rm -x
Z1 >f >>g <h <>i >|j &>k &>>l >&m 2>&1 2>&- 3<&0- {v}>n
Z1 2>f 2 >g; Z2 a2>h
Z1 {v}>f {1v}>g {v} >h