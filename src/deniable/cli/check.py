"""`deniable check DESIGN`: read a design and say what it is, or what is wrong."""

from deniable.channel.design import Design
from deniable.channel.translated import lacking
from deniable.cli.arguments import DesignFile
from deniable.cli.show import AsJson, complain, print_json, print_table, say
from deniable.collect.erasing import is_over
from deniable.collect.state import today
from deniable.report.designs import HEADS, design_document, design_lines, design_rows


def command(path: DesignFile, as_json: AsJson = False) -> None:
    """Read a design and say what it is, or what is wrong."""
    design = Design.load(path)
    if is_over(design, today()):
        passed = f"retention = {design.survey.retention} has passed, so this design cannot be served"
        complain(f"deniable: warning: {passed}; set a later day")
    lines = lacking(design.survey, design.blocks)
    if as_json:
        print_json(design_document(design))
        for line in lines:
            complain(line)
        return
    print_table(design.title, HEADS, design_rows(design))
    for line in [*lines, *design_lines(design)]:
        say(line)
