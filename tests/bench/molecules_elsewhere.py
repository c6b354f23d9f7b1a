#!/usr/bin/env python3
"""Names molecules of other makers than RDKit's, to try weights on: of each file of a folder up to 80 that carry a charge
and 25 that carry none, drawn by a seed.

molecules_elsewhere.py FOLDER >molecules.txt
pairs --batch external-validation molecules --data molecules.txt

FOLDER holds MoleculeNet's clintox.csv, Lipophilicity.csv, tox21.csv.gz and HIV.csv.gz (a column "smiles") and the
zinc_jtvae_test.txt of the junction tree autoencoder (a SMILES a line); what is missing is said.
"""
import csv
import gzip
import os
import random
import re
import sys

FILES = ("zinc_jtvae_test.txt", "clintox.csv", "Lipophilicity.csv", "tox21.csv.gz", "HIV.csv.gz")
# Charges that only write down a bond: nitro groups, N-oxides, azides.
BALANCED = re.compile(r"\[N\+\]\(=O\)\[O-\]|O=\[N\+\]\(?\[O-\]|\[N\+\]\(\[O-\]\)=O|\[n\+\]\(\[O-\]\)|\[O-\]\[[nN]\+\]|"
                      r"\[N-\]=\[N\+\]|\[N\+\]=\[N-\]|\[N\+\]#\[C-\]|\[C-\]#\[N\+\]")


def smiles_in(path):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as lines:
        if ".csv" not in path:
            return [line.split()[0] for line in lines if line.strip()]
        return [row["smiles"] for row in csv.DictReader(lines) if row["smiles"]]


def largest(smiles):
    return max(smiles.split("."), key=len)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name in FILES:
        path = os.path.join(sys.argv[1], name)
        if not os.path.exists(path):
            print(f"{path} is missing", file=sys.stderr)
            continue
        molecules = smiles_in(path)
        random.Random(name).shuffle(molecules)
        charged = [s for s in molecules if re.search(r"\[[^]]*[+-]\d*\]", BALANCED.sub("", largest(s)))]
        kept = set(charged)
        for smiles in charged[:80] + [s for s in molecules if s not in kept][:25]:
            print(smiles)


if __name__ == "__main__":
    main()
