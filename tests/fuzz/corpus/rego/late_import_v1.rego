package l
import rego.v2
p 
import rego.v1
p if  3
