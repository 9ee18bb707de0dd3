"""`python -m deniable`: the same as the command `deniable`."""

from deniable.cli.main import run

if __name__ == "__main__":
    run()
