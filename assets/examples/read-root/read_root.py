"""Reads the first tree of a ROOT file for Pairs Studio with uproot (pip install uproot).

    pairs --batch infer RUN --data events.root --reader "python3 read_root.py"
"""

import uproot
from pairs_reader import serve


class Branch:
    """A branch that reads only the requested rows."""

    def __init__(self, branch):
        self.branch = branch

    def __len__(self):
        return self.branch.num_entries

    def __getitem__(self, rows):
        return self.branch.array(entry_start=rows.start, entry_stop=rows.stop, library="np")


def open_tree(path):
    file = uproot.open(path)
    trees = file.keys(filter_classname="TTree", cycle=False)
    if not trees:
        raise ValueError("the file holds no tree")
    return {name: Branch(branch) for name, branch in file[trees[0]].items()}


serve(open_tree)
