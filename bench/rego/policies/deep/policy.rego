package bench

result := count([1 | walk(input, [_, value]); value == "leaf"])
