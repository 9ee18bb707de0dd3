"""The page's disguise as one ES module, for survey platforms that have pages of their own.

It is made of the very scripts of the respondent's page, and of one design; whoever makes it again from the same design
gets the same bytes, so its hash is worth comparing.
"""

import json

from deniable.channel.design import Design
from deniable.web.page import Published, bundle

ENTRY = "embed.js"
EXPORTED = ("fingerprint", "design", "versions", "asked", "disguise")


def disguise_module(design: Design | Published) -> str:
    """A script that exports `disguise(design, answers)`, and the design for which it does."""
    published = design if isinstance(design, Published) else Published(design.to_json())
    text = json.dumps(published.text).replace("<", "\\u003c")
    return (
        f"// Disguises answers to the design {published.fingerprint}: "
        "disguise(design, answers) gives the bytes to send.\n"
        f"{bundle(ENTRY)}"
        f'export const {{ {", ".join(EXPORTED)} }} = from_embed.moduleOf("{published.fingerprint}", {text});\n'
    )
