"""Numbers as text, so that no reader can round them."""


def decimal(number: float) -> str:
    """A number as text: 18, 0.25, 1e+20."""
    return repr(int(number)) if float(number).is_integer() and abs(number) < 2**53 else repr(float(number))
