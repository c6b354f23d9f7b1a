"""Prints the task.toml for a number of noises: noises.py 5 >task.toml"""
import sys

ORDINALS = "first second third fourth fifth sixth seventh eighth ninth".split()
NUMBERS = "one two three four five six seven eight nine".split()


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in map(str, range(2, 10)):
        sys.exit("noises.py takes one argument: the number of noises, from 2 to 9")
    count = int(sys.argv[1])
    word = NUMBERS[count - 1]
    columns = [f'"x{k}"' for k in range(1, count + 1)]
    squares = [f'"x{k}^2"' for k in range(1, count + 1)]
    print(f"""# The sizes of {word} noises. The squares of an observation's {word} numbers are sufficient, so an embedding of {word} numbers
# can hold them, as the paper's theorem requires. Written by noises.py {count}.
name = "scales"
title = "Sizes of {word} noises"
summary = "How large each of {word} noises is: the mean of a number's squares is sufficient for its size."
max_n = 1000
question = "How large are the {word} noises that made these {{}} observations?"
""")
    for k in range(1, count + 1):
        print(f"""[[targets]]
name = "size{k}"
label = "log σ{chr(0x2080 + k)}²"
meaning = "logarithm of the variance of the {ORDINALS[k - 1]} number"
support = [-inf, inf]
""")
    print(f"""[x]
columns = [{", ".join(columns)}]

[simulator]
command = ["/usr/bin/python3", "simulate.py"]

[sufficient]
statistics = [{", ".join(squares)}]""")


main()
