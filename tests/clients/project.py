"""Makes the trees that the client tests work on: a small project, and one that takes seconds to count."""
import pathlib
import random
import sys

SOURCE = '''"""Module {n}."""
import os


class Store{n}:
    """Keeps values."""

    def get(self, key):
        """Returns one value."""
        value = self.values.get(key)
        return value if value is not None else {n}


def load(path):
    with open(path) as file:
        return file.read()
'''


def main(root):
    small = pathlib.Path(root, "small")
    for n in range(40):
        path = small / f"src/part{n % 5}/module{n:02}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SOURCE.format(n=n) * (1 + n % 4))
    (small / "README.md").write_text("# Small\n\nText with \U0001f980 and 漢字.\n")
    (small / "twice.py").write_text("def same():\n    return 1\n\n\ndef same():\n    return 2\n")
    (small / "logo.bin").write_bytes(bytes(range(256)))

    slow = pathlib.Path(root, "slow")
    slow.mkdir()
    generator = random.Random(5)
    for n in range(48):
        word = "".join(generator.choices("abcdefghijklmnopqrstuvwxyz", k=1_000_000))
        (slow / f"word{n:02}.txt").write_text(word + "\n")
    (slow / "short.txt").write_text("short\n")


main(sys.argv[1])
